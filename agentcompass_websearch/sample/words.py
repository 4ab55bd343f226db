"""The vocabulary of fictional products: their names, the objects they keep, and what can be done with these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Noun:
    """A business object in the forms that sentences need."""

    one: str
    many: str

    @property
    def a(self) -> str:
        """The singular with its article."""
        return f"{'an' if self.one[0] in 'aeiou' else 'a'} {self.one}"

    @property
    def slug(self) -> str:
        """The plural as it stands in an address."""
        return self.many.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Domain:
    """A line of business: the last words of product names, the first segment of its API paths, its objects."""

    area: str
    suites: tuple[str, ...]
    people: str
    objects: tuple[Noun, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """Something a product does with an object.

    `title` and `does` are the documentation's words, `wants` a user's; both take the noun's forms. `verb` begins the
    name of a client function.
    """

    slug: str
    title: str
    does: str
    wants: str
    verb: str


def _nouns(*names: str) -> tuple[Noun, ...]:
    return tuple(Noun(name, f"{name[:-1]}ies" if name.endswith("y") else f"{name}s") for name in names)


BRAND_HEADS = (
    *("Alder", "Amber", "Aspen", "Beacon", "Bramble", "Calder", "Cinder", "Cobalt", "Copper", "Dapple"),
    *("Ebon", "Elder", "Ember", "Fallow", "Fennel", "Fern", "Gannet", "Garnet", "Hazel", "Heather"),
    *("Heron", "Indigo", "Juniper", "Kestrel", "Larch", "Lumen", "Marlow", "Mistral", "Nettle", "Ochre"),
    *("Osprey", "Pallas", "Plover", "Quill", "Rowan", "Sable", "Sorrel", "Tarn", "Umber", "Vesper"),
)
BRAND_TAILS = (
    *("bank", "brook", "cairn", "combe", "crest", "dale", "fell", "field", "forge", "gate"),
    *("haven", "loom", "march", "moor", "reach", "ridge", "strand", "vale", "wharf", "wick"),
)

DOMAINS = (
    Domain(
        "hr",
        ("Workforce", "People", "Staffing"),
        "personnel services",
        _nouns(
            *("worker transfer", "job requisition", "leave request", "benefit enrolment", "timesheet"),
            *("onboarding checklist", "salary change", "training booking"),
        ),
    ),
    Domain(
        "po",
        ("Procurement", "Sourcing", "Supply"),
        "the purchasing desk",
        _nouns(
            *("purchase order", "supplier invoice", "sourcing event", "goods receipt", "framework contract"),
            *("supplier profile", "catalogue item", "return shipment"),
        ),
    ),
    Domain(
        "fin",
        ("Ledger", "Treasury", "Accounts"),
        "the accounting team",
        _nouns(
            *("journal entry", "payment run", "expense claim", "bank statement", "cost allocation"),
            *("credit note", "asset record", "tax declaration"),
        ),
    ),
    Domain(
        "tms",
        ("Freight", "Logistics", "Fleet"),
        "dispatch",
        _nouns(
            *("shipment booking", "customs declaration", "delivery slot", "carrier claim", "warehouse transfer"),
            *("loading plan", "container record", "route plan"),
        ),
    ),
    Domain(
        "svc",
        ("Service", "Desk", "Care"),
        "the service desk",
        _nouns(
            *("support case", "change request", "incident report", "service contract", "field visit"),
            *("knowledge article", "escalation record", "equipment loan"),
        ),
    ),
    Domain(
        "crm",
        ("Revenue", "Commerce", "Accountbook"),
        "sales operations",
        _nouns(
            *("sales quote", "subscription order", "price agreement", "partner lead", "renewal offer"),
            *("discount request", "territory plan", "commission statement"),
        ),
    ),
    Domain(
        "fm",
        ("Facilities", "Estates", "Premises"),
        "building management",
        _nouns(
            *("lease agreement", "room booking", "maintenance order", "inspection report", "access badge"),
            *("meter reading", "parking permit", "move request"),
        ),
    ),
    Domain(
        "qm",
        ("Quality", "Compliance", "Assurance"),
        "the quality office",
        _nouns(
            *("audit finding", "batch record", "deviation report", "calibration record", "training certificate"),
            *("supplier audit", "corrective action", "sample test"),
        ),
    ),
)

OPERATIONS = (
    Operation("holds", "Holds on {many}", "place {a} on hold", "freeze {a} until somebody has cleared it", "hold"),
    Operation(
        "bulk-submission",
        "Bulk submission of {many}",
        "submit {many} in bulk",
        "send in {many} by the hundred",
        "submit",
    ),
    Operation(
        "reassignment",
        "Reassignment of {many}",
        "reassign {a} to another approver",
        "move {a} to a different approver when the first one is away",
        "reassign",
    ),
    Operation(
        "cancellation",
        "Cancellation of {many}",
        "cancel {a} and keep its audit trail",
        "call off {a} without losing its history",
        "cancel",
    ),
    Operation(
        "reopening",
        "Reopening of {many}",
        "reopen a closed record of type {one}",
        "bring back {a} that was closed by mistake",
        "reopen",
    ),
    Operation(
        "evidence",
        "Supporting evidence for {many}",
        "attach supporting evidence to {a}",
        "add the paperwork to {a} after the fact",
        "attach_evidence_to",
    ),
    Operation(
        "scheduled-release",
        "Scheduled release of {many}",
        "schedule {a} for a later effective date",
        "prepare {a} now and let it take effect later",
        "schedule",
    ),
    Operation(
        "splitting",
        "Splitting of {many}",
        "split {a} across cost centres",
        "divide {a} between several cost centres",
        "split",
    ),
    Operation(
        "delegated-approval",
        "Delegated approval of {many}",
        "approve {a} on behalf of an absent approver",
        "sign off {a} for a manager who is on leave",
        "approve",
    ),
    Operation(
        "trial-validation",
        "Trial validation of {many}",
        "validate {a} without committing it",
        "check {a} for mistakes before anything is saved",
        "validate",
    ),
    Operation(
        "merging",
        "Merging of duplicate {many}",
        "merge duplicate {many} into one record",
        "fold two copies of the same {one} into one",
        "merge",
    ),
    Operation(
        "close-lock",
        "Locking of {many}",
        "lock {a} against edits while the books close",
        "make sure nobody edits {a} while the books are being closed",
        "lock",
    ),
    Operation(
        "recalculation",
        "Recalculation of {many}",
        "recalculate the totals of {a}",
        "get fresh totals for {a} after a late correction",
        "recalculate",
    ),
    Operation(
        "retention",
        "Retention of {many}",
        "archive {many} whose retention period has ended",
        "clear out {many} that we no longer have to keep",
        "archive",
    ),
    Operation(
        "handover",
        "Handover of {many}",
        "hand {a} over to another legal entity",
        "pass {a} on to one of our other companies",
        "hand_over",
    ),
    Operation(
        "acknowledgement",
        "Acknowledgement of {many}",
        "acknowledge {a} received from outside",
        "confirm that {a} from outside has reached us",
        "acknowledge",
    ),
)

BLAND = (
    *("bay", "dock", "gate", "lane", "ledge", "mast", "pier", "quad", "rack", "rail"),
    *("ramp", "seal", "shelf", "silo", "slot", "spur", "stage", "tray", "vault", "yard"),
)
