"""What a refused HTTP request means: a table of rules from (status, body) to error kinds, one row a rule.

A vendor puts rows of its own before the shared ones; the first row that fits decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.hints import hints
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.wire import Fault, HttpReply, in_short

_WORDS_CHARS: Final = 4000
# What is shorter may be part of a vendor's own words.
_LEAST_ASKED_CHARS: Final = 12


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: replies of one of `statuses` whose error words match the pattern `says` (any case) are of `kind`.

    Kind ``"empty"`` is a vendor's way to say that nothing was found: an answer without results, not an error. `when`
    looks at the whole reply, for what a vendor says in numbers only. `advice` ends the message: what the user can do.
    """

    kind: ErrorKind | Literal["empty"]
    statuses: Container[int]
    says: str = ""
    billed: bool | None = None
    when: Callable[[HttpReply], bool] | None = None
    advice: str = ""

    def fits(self, reply: HttpReply, words: str) -> bool:
        """Whether this row decides a reply with these error words (see `error_words`)."""
        if reply.status not in self.statuses or (self.says and not re.search(self.says, words, re.IGNORECASE)):
            return False
        return self.when is None or self.when(reply)


_OUT_OF_CREDIT: Final = (
    r"\bno_more_credits\b|\binsufficient[ _](funds[ _])?credits?\b|\bexceed_budget_limit\b|\bpayment_required\b"
    r"|insufficient ?balance|budget ?exceeded|run out of (searches|credits)|(out of|not enough|no( more)?) credits"
)

SHARED: Final[tuple[Rule, ...]] = (
    # Credits or plan used up: never only by status, and never worth another try.
    Rule(ErrorKind.QUOTA, {402}, billed=False),
    Rule(ErrorKind.QUOTA, {432, 433}, billed=False),
    Rule(ErrorKind.QUOTA, {400, 403, 409, 429}, _OUT_OF_CREDIT, billed=False),
    # Keys.
    Rule(ErrorKind.AUTH, {401, 403}, billed=False),
    Rule(ErrorKind.MISCONFIGURED, {407}, billed=False),
    # Too fast.
    Rule(ErrorKind.RATE_LIMIT, {429}, billed=False),
    # The vendor's own time is up, or it is overloaded or broken.
    Rule(ErrorKind.TIMEOUT, {408, 504, 522, 524}),
    Rule(ErrorKind.SERVER, {409, 425}),
    Rule(ErrorKind.SERVER, range(500, 600)),
    # The request itself.
    Rule(ErrorKind.BAD_REQUEST, range(400, 500)),
    # No vendor redirects its API: the base URL is another one. Following would carry the key to that host.
    Rule(ErrorKind.MISCONFIGURED, range(300, 400)),
    Rule(ErrorKind.UNREADABLE, range(100, 200)),
)


def says_out_of_credit(words: str, *, asked: str = "") -> bool:
    """Whether the words of an error, without what was `asked`, say that credits or plan are used up."""
    return re.search(_OUT_OF_CREDIT, _without(words, asked), re.IGNORECASE) is not None


def _without(words: str, asked: str) -> str:
    return words.replace(asked, " ") if len(asked) >= _LEAST_ASKED_CHARS else words


def error_words(body: Any) -> str:
    """Return what a JSON error says, in one string: the text values of the usual fields, wherever they are nested.

    Only words of the error count, so that an echoed query in another field decides nothing.
    """
    words: list[str] = []
    _collect(body, words, depth=0)
    return " | ".join(words)[:_WORDS_CHARS]


_FIELDS: Final = frozenset(
    {
        *("error", "errors", "code", "tag", "name", "type", "title", "status", "reason", "message", "msg"),
        *("detail", "details", "formErrors", "fieldErrors"),
    }
)


def _collect(value: Any, words: list[str], depth: int) -> None:
    if depth > 5 or len(words) > 40:
        return
    if isinstance(value, str):
        words.append(value[:500])
    elif isinstance(value, list):
        for item in value[:20]:
            _collect(item, words, depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in _FIELDS:
                _collect(item, words, depth + 1)


def refusal(reply: HttpReply, rules: Iterable[Rule] = (), *, asked: str = "") -> Fault | None:
    """Return what a reply that is not 2xx means, by `rules`, then by the shared table; None for "nothing found".

    What was `asked` decides nothing where the error repeats it: a query may well be about credits that are used up.

    The message is the status and the first 200 characters of what the error says, without tags: of JSON its error
    words, so that advice that a vendor adds to its errors is not shown; where there are none, of the body.
    """
    body = reply.json_or_none
    words = error_words(body) if body is not None else reply.preview
    said = in_short(words) or ("" if any(hints(body)) else reply.preview)
    own_words = _without(words, asked)
    for rule in (*rules, *SHARED):
        if not rule.fits(reply, own_words):
            continue
        if rule.kind == "empty":
            return None
        said = "; ".join(filter(None, (said, rule.advice)))
        return _fault(rule.kind, reply, said, billed=rule.billed)
    return _fault(ErrorKind.UNREADABLE, reply, said)


def _fault(kind: ErrorKind, reply: HttpReply, said: str, *, billed: bool | None = None) -> Fault:
    location = reply.headers.get("location")
    if location and reply.status < 400:
        said = f"redirected to {location[:200]}"
    message = f"HTTP {reply.status}: {said or 'no message'}"
    return Fault(kind, message, status=reply.status, retry_after_s=retry_after_s(reply), billed=billed)
