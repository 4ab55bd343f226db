"""A request as documentation states it: in one sentence, as a table, and as an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentcompass_websearch.sample import markup as md
from agentcompass_websearch.sample.world import STANDARD_CODE, Product, Request


def in_short(product: Product, request: Request, words: Mapping[str, object]) -> str:
    """Return the paragraph that a shallow guide opens with; it holds every detail of the request."""
    header = f" with the header `{request.header[0]}: {request.header[1]}`" if request.header else ""
    text = (
        f"**In short.** To {words['does']}, send `POST {request.path}`{header} and put the number of the "
        f"{words['one']} into the body field `{request.field}`."
    )
    if request.signer:
        text += f" Sign the request with `{request.signer}` from `{product.package}`."
    if request.codes:
        codes = "; ".join(f"`{code}` {handling.does[0].lower()}{handling.does[1:]}" for handling, code in request.codes)
        text += f" Handling codes: {codes}."
    return text


def reference(product: Product, request: Request) -> str:
    """Return the tables of a request's parts and of its codes."""
    rows = [["Method and path", f"`POST {request.path}`", "yes", "JSON body, answer in JSON"]]
    if request.header:
        rows.append(["Header", md.code(request.header[0]), "yes", f"always {md.code(request.header[1])}"])
    rows += [
        ["Body field", md.code(request.field), "yes", "number of the record, up to 20 characters"],
        ["Body field", "`handling`", "yes", "one of the handling codes" if request.codes else md.code(STANDARD_CODE)],
        ["Body field", "`note`", "no", "free text for the activity log, up to 250 characters"],
    ]
    if request.signer:
        rows.append(["Signing", md.code(request.signer), "yes", f"imported from {md.code(product.package)}"])
    parts = md.table(["Part", "Name", "Required", "Value"], rows)
    if not request.codes:
        return parts
    codes = md.table(["Code", "Effect"], [[md.code(code), handling.does] for handling, code in request.codes])
    return md.joined(parts, md.section("Handling codes", codes, level=3))


def example(product: Product, request: Request) -> Iterator[str]:
    """Yield code blocks that show the request as sent."""
    if request.signer:
        yield md.fence("python", f"from {product.package} import {request.signer}")
    code = request.codes[0][1] if request.codes else STANDARD_CODE
    lines = [f"POST {request.path} HTTP/1.1", f"Host: {product.api_host}"]
    if request.header:
        lines.append(": ".join(request.header))
    lines += ["Content-Type: application/json", ""]
    lines.append(f'{{"{request.field}": "20418-7", "handling": "{code}", "note": "asked for by the owner"}}')
    yield md.fence("http", "\n".join(lines))
