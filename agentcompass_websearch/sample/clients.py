"""The client file of a ticket: as it stands before the work, and as it should stand after it."""

from __future__ import annotations

from agentcompass_websearch.sample.circumstances import Handling
from agentcompass_websearch.sample.world import Capability, Product, Request

_TEMPLATE = '''"""Client for {product}."""

import os

import httpx
{signer_import}
BASE_URL = os.environ.get("{setting}_BASE_URL", "https://{api_host}")
TIMEOUT_S = 20.0


def connect() -> httpx.Client:
    """Return a client for the configured tenant."""
    bearer = os.environ.get("{setting}_BEARER", "")
    return httpx.Client(base_url=BASE_URL, headers={{"Authorization": f"Bearer {{bearer}}"}}, timeout=TIMEOUT_S)


def {function}(client: httpx.Client, number: str, note: str = "") -> str:
    """Send the request for one {one} and return its receipt."""
{call_source}    response = client.post(
        "{path}",
        headers={{"Accept": "application/json"{header}}},
        json={{"{field}": number, "handling": "{code}", "note": note}},{auth}
    )
    response.raise_for_status()
    return str(response.json()["receipt"])
'''


def client_code(
    product: Product,
    capability: Capability,
    request: Request,
    *,
    handling: Handling | None = None,
    source_url: str | None = None,
) -> str:
    """Return a client that sends `request`, with `source_url` cited above each statement that needed it."""
    cited = "" if source_url is None else f"# source: {source_url}\n"
    signer_import = auth = ""
    if request.signer:
        signer_import = f"{cited}from {product.package} import {request.signer}\n"
        auth = f'\n        auth={request.signer}(os.environ["{product.setting}_SIGNING_SECRET"]),'
    return _TEMPLATE.format(
        product=product.name,
        signer_import=signer_import,
        setting=product.setting,
        api_host=product.api_host,
        function=f"{capability.operation.verb}_{capability.noun.one.replace(' ', '_')}",
        one=capability.noun.one,
        call_source=f"    {cited}" if cited else "",
        path=request.path,
        header=f', "{request.header[0]}": "{request.header[1]}"' if request.header else "",
        field=request.field,
        code=request.code(handling),
        auth=auth,
    )
