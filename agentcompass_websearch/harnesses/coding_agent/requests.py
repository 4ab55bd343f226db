"""Turns the arguments of a call into what a vendor is asked."""

from __future__ import annotations

from agentcompass_websearch.harnesses.coding_agent.arguments import Arguments
from agentcompass_websearch.records import Operation
from agentcompass_websearch.tools.contract import FetchRequest, SearchRequest
from agentcompass_websearch.tools.safety import why_not_public

type Request = SearchRequest | FetchRequest


class BadArguments(Exception):
    """The arguments of a call are of no use; the message is for the model."""

    def __init__(self, message: str, url: str | None = None) -> None:
        super().__init__(message)
        self.url = url


def read_request(op: Operation, arguments: Arguments, max_results: int) -> Request:
    """Return the request of a call. Arguments that the tool does not have are ignored.

    Raises:
        BadArguments: they cannot be read, lack one, have one of a wrong type, or name a URL that is not public http(s).
    """
    if arguments.fault:
        raise BadArguments(arguments.fault)
    if op == "search":
        return SearchRequest(_text(arguments, "query"), max_results)
    url = _text(arguments, "url")
    problem = why_not_public(url)
    if problem:
        raise BadArguments(problem, url)
    objective = arguments.values.get("objective")
    if objective is not None and not isinstance(objective, str):
        raise BadArguments("objective must be a string", url)
    return FetchRequest(url, objective or None)


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.values.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise BadArguments(f"{name} is required")
    if not isinstance(value, str):
        raise BadArguments(f"{name} must be a string")
    return value.strip()
