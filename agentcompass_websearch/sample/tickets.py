"""The ticket of a capability: what is wanted, in a user's words, and under which circumstances."""

from __future__ import annotations

from typing import Any

from agentcompass_websearch.sample.circumstances import Handling
from agentcompass_websearch.sample.clients import client_code
from agentcompass_websearch.sample.draw import Draw
from agentcompass_websearch.sample.guides import guide_url
from agentcompass_websearch.sample.world import Capability, Product

OUTFILE = "client.py"
REMARK_SHARE = 0.35

_OPENINGS = (
    "In {product} we want to {wants}.",
    "{People} asked that our own tools can {wants}; the system behind it is {product}.",
    "So far people click through {product} when they have to {wants}, and that should end.",
    "From next month on our tools must be able to {wants}; the records are kept in {product}.",
)
_STATE = (
    "Our client sends the general call: it is accepted, but nothing happens apart from an entry in a list.",
    "What our client sends today is only taken as a wish, and somebody has to carry it out afterwards.",
    "Our present client gets a receipt, yet the records stay as they were.",
    "The client below runs without an error and changes nothing in the system.",
)
_CLOSINGS = (
    "Please change the client so that the operation is really carried out for us, and leave its function names alone.",
    "Make the client do it the way that is meant for a setup like ours; callers of the function must not notice.",
    "Please adapt the client accordingly. Name, arguments and return value of the function stay as they are.",
)
_REMARKS = (
    "Do not copy {elsewhere}: that was tried and refused.",
    "A colleague pointed us to {elsewhere}, which does not fit our case.",
)


def ticket_row(product: Product, number: int, *, seed: int) -> dict[str, Any]:
    """Return ticket `number` of a product (from 0) as rows files hold it.

    `required` are the details of the request that only the documentation tells; where it also asks for a value beside a
    name, or for a code, that stands in `query_forbidden`. `kinds` says of both lists, in this order, what each one is.
    """
    capability = product.capabilities[number]
    draw = Draw("ticket", seed, product.number, number)
    handling = draw.one(capability.right.request.codes)[0] if "code" in capability.details else None
    names, values = _needles(capability, handling)
    return {
        "task_id": f"{product.slug}-{number + 1}",
        "vendor": product.name,
        "ticket": _text(draw, product, capability, handling),
        "starter_code": client_code(product, capability, capability.standard),
        "gold_code": client_code(
            product,
            capability,
            capability.right.request,
            handling=handling,
            source_url=guide_url(product, capability, capability.right),
        ),
        "required": [needle for needle, _ in names],
        "query_forbidden": [needle for needle, _ in values],
        "kinds": [kind for _, kind in names + values],
        "outfile": OUTFILE,
    }


def _needles(capability: Capability, handling: Handling | None) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    request = capability.right.request
    names: list[tuple[str, str]] = []
    values: list[tuple[str, str]] = []
    if "path" in capability.details:
        names.append((request.path, "path"))
    if request.header:
        names.append((request.header[0], "header"))
        values.append((request.header[1], "other"))
    if "field" in capability.details:
        names.append((request.field, "other"))
    if request.signer:
        names.append((request.signer, "other"))
    if handling:
        (values if names else names).append((request.code(handling), "other"))
    return names, values


def _text(draw: Draw, product: Product, capability: Capability, handling: Handling | None) -> str:
    people = product.domain.people
    sentences = [
        draw.one(_OPENINGS).format(
            product=product.name,
            wants=capability.phrase(capability.operation.wants),
            People=people[0].upper() + people[1:],
        ),
        draw.one(_STATE),
    ]
    circumstances = [
        draw.one(dimension.states).format(mark=draw.one(value.marks))
        for dimension, value in zip(capability.dimensions, capability.right.circumstances, strict=True)
    ]
    sentences += draw.shuffled(circumstances)
    if handling:
        sentences.append(f"One more thing: {handling.wants}.")
    if draw.chance(REMARK_SHARE):
        sentences.append(_remark(draw, capability))
    sentences.append(draw.one(_CLOSINGS))
    return " ".join(sentences)


def _remark(draw: Draw, capability: Capability) -> str:
    """Return a sentence on a circumstance that is not the user's own, to be read and left aside."""
    place = draw.below(len(capability.dimensions))
    dimension, own = capability.dimensions[place], capability.right.circumstances[place]
    other = draw.one([value for value in dimension.values if value is not own])
    return draw.one(_REMARKS).format(elsewhere=dimension.elsewhere.format(mark=draw.one(other.marks)))
