"""The arms of the demo: which vendor is asked, and with which tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH, Board, board_of

BENCHMARK: Final = "ob-code-websearch"
HARNESS: Final = "coding_agent"
DATASET: Final = "sample"
TASK_CONCURRENCY: Final = 4


@dataclass(frozen=True, slots=True)
class Arm:
    """One run of the demo."""

    vendor: str
    tools: tuple[str, ...]

    @property
    def board(self) -> Board:
        """The board on which the arm stands."""
        return board_of(self.tools)

    @property
    def name(self) -> str:
        """The arm's own part of the results folder."""
        return self.board if self.board == "no-search" else f"{self.vendor}-{self.board}"

    def request(self, *, model: str, base_url: str, results_dir: str, k: int) -> dict[str, Any]:
        """Return the arguments of the host's evaluation. The model costs nothing, so its price is known: zero."""
        return {
            "benchmark": BENCHMARK,
            "harness": HARNESS,
            "model": model,
            "model_base_url": base_url,
            "model_api_key": "none-needed",
            "model_api_protocol": "openai-chat",
            "benchmark_params": {"dataset": DATASET},
            "harness_params": {
                "vendor": self.vendor,
                "model_price": {"input": 0.0, "output": 0.0},
                **({"tools": list(self.tools)} if self.tools else {}),
            },
            "k": k,
            "task_concurrency": TASK_CONCURRENCY,
            "enable_analysis": False,
            "results_dir": results_dir,
            "run_name": self.name,
            "progress": "none",
            "log_level": "WARNING",
        }


ARMS: Final = (
    Arm("local_page", (WEB_SEARCH, WEB_FETCH)),
    Arm("local_title", (WEB_SEARCH, WEB_FETCH)),
    Arm("local_page", (WEB_SEARCH,)),
    Arm("local_title", (WEB_SEARCH,)),
    Arm("none", ()),
)
