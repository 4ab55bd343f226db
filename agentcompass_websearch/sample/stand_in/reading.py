"""What a piece of documentation says about a request: path, headers, body fields, codes and imports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agentcompass_websearch.sample.stand_in.terms import stems

_REQUEST_LINE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\s+(/[\w./{}~-]*[\w}])")
_HEADER = re.compile(r"\b(X-[A-Za-z0-9-]+)`?(?::\s*|\s*\|[^|\n]*\|[^|`\n]*`)([^\s`|]+)")
_FIELD = re.compile(r"\bbody field\s*\|?\s*`(\w+)`(?:\s*\|\s*(yes|no)\b)?", re.IGNORECASE)
_CODE = re.compile(r"`([A-Z0-9]+(?:_[A-Z0-9]+)+)`[\s|:-]*([^`|;\n]*)")
_IMPORT = re.compile(r"\bfrom (\w+) import (\w+)|`(\w+)`[^`\n]{0,40}\bfrom `(\w+)`")


@dataclass(frozen=True, slots=True)
class Documented:
    """A documented request. `requests` are (method, path), `imports` (package, name), `codes` code -> what it means."""

    requests: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    fields: tuple[str, ...] = ()
    codes: tuple[tuple[str, str], ...] = ()
    imports: tuple[tuple[str, str], ...] = ()

    def path(self, method: str) -> str | None:
        """Return the path that is documented most often for `method`."""
        counted = Counter(path for known, path in self.requests if known == method)
        return counted.most_common(1)[0][0] if counted else None

    def code(self, ticket: str) -> str | None:
        """Return the code whose meaning shares most words with `ticket`."""
        wanted = stems(ticket)
        ranked = sorted(self.codes, key=lambda entry: len(stems(entry[1]) & wanted), reverse=True)
        return ranked[0][0] if ranked and stems(ranked[0][1]) & wanted else None


def read(text: str) -> Documented:
    """Return the request that `text` documents; all parts are empty where it documents none."""
    meanings: dict[str, str] = {}
    for code, meaning in _CODE.findall(text):
        meanings[code] = max(meanings.get(code, ""), meaning.strip(), key=len)
    return Documented(
        requests=tuple(_REQUEST_LINE.findall(text)),
        headers=_unique(_HEADER.findall(text)),
        fields=_unique(name for name, required in _FIELD.findall(text) if required.lower() != "no"),
        codes=tuple(meanings.items()),
        imports=_unique((a or d, b or c) for a, b, c, d in _IMPORT.findall(text)),
    )


def _unique[T](items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
