"""What tells near-identical configurations apart, and what a call can do with records that do not go through."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One value of a dimension. `label` is the documentation's name for it, `marks` are what its users call theirs."""

    slug: str
    label: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something that configurations differ in.

    `applies` is the documentation's sentence part over label and marks; `states` are a user's sentences over one mark,
    `elsewhere` a user's remark on somebody to whom another value applies.
    """

    name: str
    applies: str
    states: tuple[str, ...]
    elsewhere: str
    values: tuple[Circumstance, ...]


@dataclass(frozen=True, slots=True)
class Handling:
    """What a call does with records that need care: `does` in the documentation, `wants` in a ticket."""

    does: str
    wants: str


DIMENSIONS = (
    Dimension(
        "Data zone",
        "tenants hosted in the {label} ({marks})",
        ("Our tenant was provisioned in {mark}.", "Everything we have with them is hosted in {mark}."),
        "the sister company whose tenant sits in {mark}",
        (
            Circumstance("europe", "European zone", ("Frankfurt", "Dublin", "Milan")),
            Circumstance("british", "British zone", ("London", "Cardiff", "Leeds")),
            Circumstance("americas", "Americas zone", ("Montreal", "Columbus", "Dallas")),
            Circumstance("pacific", "Pacific zone", ("Osaka", "Sydney", "Singapore")),
            Circumstance("gulf", "Gulf zone", ("Doha", "Muscat", "Dubai")),
            Circumstance("andean", "Andean zone", ("Lima", "Quito", "Santiago")),
        ),
    ),
    Dimension(
        "Edition",
        "customers on the {label} ({marks})",
        ("We are on the contract that {mark} get.", "They have us in their books with the {mark}."),
        "the contract that {mark} get",
        (
            Circumstance("group", "Group edition", ("holding companies", "joint ventures", "franchise networks")),
            Circumstance("public", "Public edition", ("municipalities", "universities", "government agencies")),
            Circumstance("starter", "Starter edition", ("family firms", "single-site businesses", "start-ups")),
            Circumstance("civic", "Civic edition", ("charities", "foundations", "relief organisations")),
            Circumstance("regulated", "Regulated edition", ("banks", "insurers", "pharmacies")),
        ),
    ),
    Dimension(
        "Release line",
        "tenants on the {label} (builds {marks})",
        ("The about box of our tenant says build {mark}.", "We run build {mark} and will not upgrade before summer."),
        "the test tenant that is already on build {mark}",
        (
            Circumstance("anchor", "Anchor line", ("8.2", "8.3", "8.4")),
            Circumstance("current", "Current line", ("9.0", "9.1", "9.2")),
            Circumstance("preview", "Preview line", ("10.1", "10.2", "10.3")),
            Circumstance("heritage", "Heritage line", ("7.4", "7.5", "7.6")),
        ),
    ),
    Dimension(
        "Caller",
        "requests from {label} ({marks})",
        ("The calls come from {mark}.", "Nobody signs in for this: the calls are made by {mark}."),
        "what {mark} use",
        (
            Circumstance(
                "integration", "Integration callers", ("unattended jobs", "nightly schedulers", "message brokers")
            ),
            Circumstance("delegate", "Delegate callers", ("shared-service clerks", "help-desk staff", "deputies")),
            Circumstance("partner", "Partner callers", ("outsourcers", "resellers", "external auditors")),
            Circumstance("device", "Device callers", ("shop-floor terminals", "warehouse scanners", "kiosks")),
        ),
    ),
    Dimension(
        "Tenant profile",
        "records kept under the {label} ({marks})",
        ("All of this is about one of our {mark}.", "The records belong to one of our {mark}."),
        "the setup meant for {mark}",
        (
            Circumstance("parent", "Parent profile", ("headquarters units", "group functions", "head offices")),
            Circumstance("linked", "Linked profile", ("subsidiaries", "branch companies", "regional offices")),
            Circumstance("isolated", "Isolated profile", ("carve-outs", "ring-fenced units", "spin-offs")),
            Circumstance("rehearsal", "Rehearsal profile", ("training rooms", "pilot groups", "rehearsal teams")),
        ),
    ),
    Dimension(
        "Window",
        "calls made in the {label} ({marks})",
        ("It has to work during {mark}.", "The job runs during {mark}, at no other time."),
        "the way it is done during {mark}",
        (
            Circumstance("closing", "Closing window", ("month-end", "quarter-end", "year-end")),
            Circumstance("office", "Office window", ("office hours", "weekday mornings", "lunch shifts")),
            Circumstance("service", "Service window", ("patch nights", "planned outages", "cut-over weekends")),
            Circumstance("surge", "Surge window", ("open enrolment", "holiday season", "tender deadlines")),
        ),
    ),
)

HANDLINGS = (
    Handling("Stops at the first rejected record", "it should stop at the first record that is rejected"),
    Handling("Skips locked records and reports them at the end", "records that somebody has locked should be skipped"),
    Handling("Sends rejected records to the review queue", "whatever is rejected has to land in the review queue"),
    Handling("Keeps earlier values and logs the difference", "earlier values must be kept and the difference logged"),
    Handling("Notifies the record owner and waits for a reply", "the owner of the record must be notified first"),
    Handling("Releases the change on the next business day", "nothing may be released before the next business day"),
    Handling("Suppresses notices to outside parties", "outside parties must not receive any notice"),
    Handling("Retries once after the nightly refresh", "we want one retry after the nightly refresh"),
)
