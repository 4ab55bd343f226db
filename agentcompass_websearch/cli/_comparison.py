"""The vendors compared in Markdown: what each id costs, and what a fair comparison must know of each family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agentcompass_websearch.records import Operation
from agentcompass_websearch.tools.contract import Facts, Mode, Vendor

_HEAD: Final = """\
# Vendors compared

Made from the package itself, by `agentcompass-websearch vendors --markdown`. How to read it: [Vendors](../vendors.md).

## Ids

List prices in US dollars a call, pay as you go, ten results or fewer. Calls a second: the limit that holds for one \
key unless `vendor_rate_per_s` says otherwise.
"""
_FAMILIES: Final = """
## Families

`site:` is what becomes of that operator in a query; the age is that of stored pages where no option sets it; the \
objective is what the searcher is after, which some vendors are told beside the query or the URL.
"""
_CALLS: Final[Mapping[Operation, str]] = {"search": "searches", "fetch": "fetches"}


def comparison(vendors: Sequence[Vendor]) -> str:
    """Return the page that compares `vendors`, in their order."""
    ids = [_of_mode(vendor, mode) for vendor in vendors for mode in vendor.modes.values()]
    families = [_of_family(vendor) for vendor in vendors]
    return "\n".join(
        [
            _HEAD,
            *_table(("Id", "Home boards", "Search", "Fetch", "Prices of", "Calls a second"), ids),
            _FAMILIES,
            *_table(("Family", "Pages", "`site:`", "Age of pages", "Objective", "Longest query", "Key"), families),
        ]
    )


def price(usd: float | None, offered: bool) -> str:
    """Return the list price of a call as people read it: ``-`` where there is no such call."""
    if not offered:
        return "-"
    return "unknown" if usd is None else f"{usd:.4f}".rstrip("0").rstrip(".")


def _of_mode(vendor: Vendor, mode: Mode) -> tuple[str, ...]:
    vendor_id = f"`{vendor.vendor_id(mode.name)}`"
    if mode.name and mode.name == vendor.default_mode:
        vendor_id += f" (also `{vendor.family}`)"
    boards = ", ".join(board.replace("search-fetch", "search & fetch") for board in mode.home_boards)
    return (
        vendor_id,
        boards,
        price(mode.price.search_usd, "search" in mode.operations),
        price(mode.price.fetch_usd, "fetch" in mode.operations),
        mode.price.as_of or "-",
        "-" if mode.rate_per_s is None else f"{mode.rate_per_s:.3g}",
    )


def _of_family(vendor: Vendor) -> tuple[str, ...]:
    facts = vendor.facts
    name = f"[{vendor.title}]({vendor.homepage})" if vendor.homepage else vendor.title
    keys = " or ".join(f"`{key}`" for key in vendor.key_vars) or "none"
    optional = " (optional)" if vendor.key_vars and vendor.key_optional else ""
    objective = ", ".join(_CALLS[op] for op in _CALLS if op in facts.objective) or "-"
    return name, facts.fetch, facts.site_operator, facts.cache, objective, _longest(facts), keys + optional


def _longest(facts: Facts) -> str:
    limits = ((facts.max_query_chars, "characters"), (facts.max_query_words, "words"))
    return ", ".join(f"{limit:,} {unit}" for limit, unit in limits if limit is not None) or "-"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [head, ("-",) * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]
