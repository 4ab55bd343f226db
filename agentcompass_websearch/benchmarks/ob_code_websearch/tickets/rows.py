"""Tickets from rows: ``task_id, vendor, ticket, starter_code, gold_code`` and the optional columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft, limits, needles_of
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.record import Record

DEFAULT_OUTFILE: Final = "client.py"
UNKNOWN_CATEGORY: Final = "unknown"


def drafts_from_rows(rows: Iterable[tuple[str, Any]], problems: Problems) -> list[Draft]:
    """Return a draft of each row ``(where, row)`` that can be read; what is wrong with the others goes on `problems`.

    Columns beside the required ones are used if they are there: ``id`` (in place of ``task_id``), ``outfile``,
    ``required``, ``query_forbidden``, ``kinds``, ``cite_urls``, ``max_turns``, ``max_searches``, ``max_fetches``.
    """
    drafts = (_draft(Record(row, where, problems, id_fields=("task_id", "id"), yaml=False)) for where, row in rows)
    return [draft for draft in drafts if draft is not None]


def _draft(record: Record) -> Draft | None:
    words, kinds = needles_of(record)
    draft = Draft(
        record=record,
        id=record.id or "",
        category=record.text("vendor").strip() or UNKNOWN_CATEGORY,
        text=record.text("ticket", required=True),
        starter=record.text("starter_code", required=True),
        gold=record.text("gold_code", required=True),
        outfile=record.text("outfile").strip() or DEFAULT_OUTFILE,
        words=words,
        origin="row",
        cite_urls=record.flag("cite_urls", True),
        limits=limits(record),
        kinds=kinds,
    )
    return None if record.faults else draft
