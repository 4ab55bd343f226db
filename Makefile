# Everything runs in .venv, which is made from any Python 3.12 or newer found here (or PYTHON=/path/to/python).

.DEFAULT_GOAL := help
.PHONY: help set-up demo test check clean

# The host asks the internet for a price list unless told not to; tests and demo need no network.
export LITELLM_LOCAL_MODEL_COST_MAP := True
export HF_HUB_OFFLINE := 1
# Without bytecode the host takes ten seconds and more to start.
unexport PYTHONDONTWRITEBYTECODE

WORKERS ?= 2
ARGS ?=
BIN := .venv/bin

help: ## Show what can be made
	@printf 'make TARGET [PYTHON=/path/to/python3.12]\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-7s %s\n", $$1, $$2 }' Makefile

set-up: ## Make .venv with the package and its development tools, if not done yet
	@scripts/set-up

demo: set-up ## Run the benchmark on the embedded sample: offline, no keys, no costs
	@$(BIN)/agentcompass-websearch demo $(ARGS)

test: set-up ## Run the tests, offline, in WORKERS (2) processes; ARGS go to pytest
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

check: set-up ## Check style, types and layering
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

clean: ## Remove what make and the tools made here
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build websearch-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
