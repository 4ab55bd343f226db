"""``agentcompass-websearch dataset``: check datasets, write their needles for review, make synthetic ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from agentcompass_websearch.cli._types import Whole
from agentcompass_websearch.errors import UsageError

if TYPE_CHECKING:
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import Source
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket

_WIDTH_WHEN_PIPED = 200
_WRONG = 2

Json = Annotated[bool, Parameter(name="--json", negative="")]
Force = Annotated[bool, Parameter(negative="")]

dataset = App(
    name="dataset",
    help_epilogue="",
    help="""Check datasets, write their needles for review, make synthetic ones.

A dataset is `sample`, `synthetic:seed=7,n=50`, a file or folder, or `hf:owner/name` on the Hugging Face Hub.

For example:

    agentcompass-websearch dataset validate ./tickets.jsonl
    agentcompass-websearch dataset needles hf:openbenchmarks/OB-Code-Websearch --out needles.json
    agentcompass-websearch dataset synthesize --seed 7 --n 50 --out made
""",
)


@dataset.command
def validate(
    name: str,
    /,
    *,
    revision: str | None = None,
    data_file: str | None = None,
    needles_file: Path | None = None,
    as_json: Json = False,
) -> int:
    """Check a dataset: say what is wrong and where, and list its tickets with their needles.

    The exit code is 0 if every ticket is sound, and 2 if not.

    For example:

        agentcompass-websearch dataset validate ./tickets.jsonl --needles-file needles.json

    Args:
        name: The dataset, as the benchmark parameter `dataset` takes it.
        revision: Branch, tag or commit of a Hub dataset.
        data_file: The data file inside a Hub dataset that has several.
        needles_file: Needles for tickets that come without.
        as_json: Print JSON: tickets, problems, warnings.
    """
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import examine

    tickets: tuple[Ticket, ...] = ()
    commit = None
    try:
        found, problems = examine(_source(name, revision), data_file=data_file, needles_file=needles_file)
        tickets, commit, wrong = found.tickets, found.revision, problems.lines
        if not tickets and not wrong:
            wrong = ("it holds no tickets",)
    except UsageError as error:
        wrong = (str(error),)
    warnings = [f"{t.id}: the gold code cites not all of its needles" for t in tickets if not t.gold_cites]
    if as_json:
        rows = [_ticket_row(ticket) for ticket in tickets]
        print(json.dumps({"revision": commit, "tickets": rows, "problems": wrong, "warnings": warnings}, indent=2))
    else:
        if tickets:
            _print_tickets(tickets)
        count = "1 sound ticket" if len(tickets) == 1 else f"{len(tickets)} sound tickets"
        print(f"{count} of {name}" + (f" at commit {commit}" if commit else ""))
        for line in warnings:
            print(f"Warning: {line}")
        for line in wrong:
            print(f"Problem: {line}")
    return _WRONG if wrong else 0


@dataset.command
def needles(
    name: str,
    /,
    *,
    out: Path,
    revision: str | None = None,
    data_file: str | None = None,
    force: Force = False,
) -> int:
    """Write the needles of a dataset to a file for a person to review.

    Tickets that come with needles keep them; for the others they are derived from gold and starter code. Strike out
    what a reader of the documentation would not have to find, add what is missing, and give the file to the benchmark
    as its parameter `needles_file`. The exit code is 2 if a ticket needs a person's hand, and the file is written
    nevertheless.

    For example:

        agentcompass-websearch dataset needles hf:openbenchmarks/OB-Code-Websearch --out needles.json

    Args:
        name: The dataset, as the benchmark parameter `dataset` takes it.
        out: The file to write.
        revision: Branch, tag or commit of a Hub dataset.
        data_file: The data file inside a Hub dataset that has several.
        force: Write over a file that is there.
    """
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import count_fault, needles_or_derived
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.needles_file import needles_text
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import read_drafts

    if out.exists() and not force:
        raise UsageError(f"{out} exists; name another file, or write over it with --force")
    problems = Problems()
    drafts, _ = read_drafts(_source(name, revision), data_file, problems)
    problems.raise_if_any()
    found = {draft.id: needles_or_derived(draft) for draft in drafts}
    _write(out, needles_text(found.items()))
    faults = [(draft.id, fault) for draft in drafts if (fault := count_fault(found[draft.id])) and not draft.words]
    derived = sum(not draft.words for draft in drafts)
    print(f"Written: {out} with {sum(map(len, found.values()))} needles of {len(found)} tickets, {derived} derived")
    for ticket_id, fault in faults:
        print(f"To do: ticket {ticket_id!r}: {fault}")
    return _WRONG if faults else 0


@dataset.command
def synthesize(
    *,
    out: Path,
    seed: Whole = 7,
    n: Whole = 12,
    siblings: Whole = 3,
    snippet: float = 0.5,
    depth: Whole = 500,
    pages_per_ticket: Whole = 8,
    force: Force = False,
) -> None:
    """Make tickets about fictional products, and the products' documentation, from a seed.

    Writes rows.jsonl, the same tickets as a tree under catalog/, pages.jsonl for the vendor `local`, and needles.json.
    The same settings make the same files on every machine.

    For example:

        agentcompass-websearch dataset synthesize --seed 7 --n 50 --out made

    Args:
        out: Folder to write.
        seed: Names the world.
        n: Number of tickets.
        siblings: Configurations beside the right one that the documentation describes in the same way.
        snippet: Share of the tickets whose pages state the wanted request in their first passage, 0 to 1.
        depth: Words that stand above the wanted request on the pages of the other tickets.
        pages_per_ticket: Pages of documentation for each ticket, at the least; the tickets stay the same.
        force: Write over files of an earlier run.
    """
    from agentcompass_websearch.cli._synthetic_files import write_world
    from agentcompass_websearch.sample.synthesize import synthesize as make

    world = make(seed, n, siblings=siblings, snippet=snippet, depth=depth, pages_per_ticket=pages_per_ticket)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks = {"tickets": progress.add_task("tickets", total=n), "pages": progress.add_task("pages", total=None)}
        pages = write_world(world, out, force=force, advance=lambda what: progress.advance(tasks[what]))
    print(f"Written: {out} with {n} tickets and {pages} pages")


def _source(name: str, revision: str | None) -> Source:
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import parse, with_revision

    return with_revision(parse(name), revision)


def _ticket_row(ticket: Ticket) -> dict[str, Any]:
    return {
        "id": ticket.id,
        "docs_vendor": ticket.category,
        "outfile": ticket.outfile,
        "needles": [{"needle": needle.text, "kind": needle.kind} for needle in ticket.needles],
        "needles_origin": ticket.needles_origin,
        "gold_cites": ticket.gold_cites,
    }


def _print_tickets(tickets: Sequence[Ticket]) -> None:
    table = Table("ticket", "docs vendor", "needles", "from", box=None, pad_edge=False)
    for ticket in tickets:
        shown = ", ".join(f"{needle.text} ({needle.kind})" for needle in ticket.needles)
        table.add_row(ticket.id, ticket.category, shown, ticket.needles_origin)
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_WHEN_PIPED)
    console.print(table)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
