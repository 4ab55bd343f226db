"""``agentcompass-websearch vendors``: the vendor ids, with what a user must know to choose one."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from agentcompass_websearch import plugins
from agentcompass_websearch.cli._comparison import comparison, price
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.contract import Mode, Vendor

_WIDTH_WHEN_PIPED = 200


def vendors(
    *families: str,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    as_markdown: Annotated[bool, Parameter(name="--markdown", negative="")] = False,
) -> None:
    """List the vendor ids that `--harness-params '{"vendor": ...}'` takes.

    Prices are dated list prices in US dollars per call (pay as you go, ten results or fewer); a price nobody published
    is "unknown". A bare family name is the id of its default mode. Vendors that cannot be loaded are named on stderr.

    For example:

        agentcompass-websearch vendors
        agentcompass-websearch vendors exa local --json

    Args:
        families: Show only these families.
        as_json: Print JSON: a list of objects, one an id, with null for an unknown price.
        as_markdown: Print a page in Markdown that compares them: prices, limits, and how each treats queries and pages.
    """
    if as_json and as_markdown:
        raise UsageError("give --json or --markdown, not both")
    chosen, broken = _choose(families)
    rows = [_row(vendor, name, mode) for vendor in chosen for name, mode in vendor.modes.items()]
    if as_json:
        print(json.dumps(rows, indent=2))
    elif as_markdown:
        print(comparison(chosen))
    else:
        _print_table(rows)
    for problem in broken:
        print(problem, file=sys.stderr)


def _choose(families: tuple[str, ...]) -> tuple[list[Vendor], list[str]]:
    if not families:
        return plugins.all_vendors()
    for name in families:
        if name not in plugins.families():
            known = plugins.families()
            near = plugins.nearest(name, known)
            raise UsageError(f"unknown vendor family {name!r}.{near} There are {', '.join(known)}.")
    return [plugins.load(name) for name in dict.fromkeys(families)], []


def _row(vendor: Vendor, name: str, mode: Mode) -> dict[str, Any]:
    return {
        "id": vendor.vendor_id(name),
        "family": vendor.family,
        "default": name == vendor.default_mode,
        "title": vendor.title,
        "description": mode.description,
        "homepage": vendor.homepage,
        "operations": sorted(mode.operations, reverse=True),
        "home_boards": list(mode.home_boards),
        "key_variables": list(vendor.key_vars),
        "search_usd": mode.price.search_usd,
        "fetch_usd": mode.price.fetch_usd,
        "price_as_of": mode.price.as_of or None,
        "price_source": mode.price.source or None,
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    table = Table("id", "what", "tools", "home boards", "key", "$/search", "$/fetch", "as of", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(
            row["id"] + (" (default)" if row["default"] and row["id"] != row["family"] else ""),
            f"{row['title']}: {row['description']}",
            " ".join(row["operations"]) or "none",
            " ".join(row["home_boards"]),
            " or ".join(row["key_variables"]) or "none needed",
            price(row["search_usd"], "search" in row["operations"]),
            price(row["fetch_usd"], "fetch" in row["operations"]),
            row["price_as_of"] or "",
        )
    console = Console(markup=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_WHEN_PIPED)
    console.print(table)
