"""What a ticket is: one task of the benchmark, complete and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import digest
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Needle

NeedlesOrigin = Literal["row", "catalog", "file", "derived"]
"""Where a ticket's needles were taken from; only row and catalog needles are the benchmark's own."""


class Limits(msgspec.Struct, frozen=True):
    """A ticket's own budgets. None leaves it to the harness; 0 means none at all."""

    max_turns: int | None = None
    max_searches: int | None = None
    max_fetches: int | None = None

    def given(self) -> dict[str, int]:
        """Return the budgets that the ticket sets, by name."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}


class Ticket(msgspec.Struct, frozen=True):
    """One ticket. The model sees `text` and `starter`; `gold` and `needles` are the judge's.

    `holds_starter` says that `text` is a whole prompt with the starter in it already, `gold_cites` whether the gold
    code itself would count as cited.
    """

    id: str
    category: str
    text: str
    starter: str
    gold: str
    needles: tuple[Needle, ...]
    needles_origin: NeedlesOrigin
    outfile: str = "client.py"
    cite_urls: bool = True
    limits: Limits = Limits()
    holds_starter: bool = False
    gold_cites: bool = True

    @property
    def sha(self) -> str:
        """Hash of all that decides a result on this ticket: what the model is given, and what the judge asks."""
        return digest(
            {
                "text": self.text,
                "starter": self.starter,
                "holds_starter": self.holds_starter,
                "outfile": self.outfile,
                "needles": [[needle.text, needle.kind] for needle in self.needles],
                "cite_urls": self.cite_urls,
                "limits": self.limits.given(),
            }
        )


class Dataset(msgspec.Struct, frozen=True):
    """The tickets of one source, in its order. `revision` is a resolved commit where the source has one."""

    source: str
    tickets: tuple[Ticket, ...]
    revision: str | None = None


def ticket_to_builtins(ticket: Ticket) -> dict[str, Any]:
    """Return `ticket` as JSON-clean builtins."""
    data: dict[str, Any] = msgspec.to_builtins(ticket)
    return data


def ticket_from_builtins(data: Mapping[str, Any]) -> Ticket:
    """Return the ticket that `ticket_to_builtins` wrote.

    Raises:
        ValueError: `data` is not of that form.
    """
    return msgspec.convert(data, Ticket)
