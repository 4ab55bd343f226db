"""The tools as the model sees them: names, descriptions and parameters, the same for every vendor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH, Board, Operation

TOOLS_OF_BOARD: Final[Mapping[Board, tuple[str, ...]]] = {
    "search-only": (WEB_SEARCH,),
    "search-fetch": (WEB_SEARCH, WEB_FETCH),
    "no-search": (),
}
OPERATION_OF_TOOL: Final[Mapping[str, Operation]] = {WEB_SEARCH: "search", WEB_FETCH: "fetch"}


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool, apart from any wire protocol; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def _schema(tool: str, name: str) -> ToolSchema:
    text = {"type": "string"}
    if tool == WEB_SEARCH:
        return ToolSchema(
            name,
            "Search the web. Returns results with url, title and snippet, best first.",
            {
                "type": "object",
                "properties": {"query": text | {"description": "What to search for."}},
                "required": ["query"],
            },
        )
    return ToolSchema(
        name,
        "Read one web page. Returns its title and text.",
        {
            "type": "object",
            "properties": {
                "url": text | {"description": "Full http or https URL of the page."},
                "objective": text | {"description": "What you want to learn from the page."},
            },
            "required": ["url"],
        },
    )


def tool_schemas(tools: tuple[str, ...], wire_names: Mapping[str, str]) -> tuple[ToolSchema, ...]:
    """Return the schemas of `tools` under their names on the wire."""
    return tuple(_schema(tool, wire_names.get(tool, tool)) for tool in tools)
