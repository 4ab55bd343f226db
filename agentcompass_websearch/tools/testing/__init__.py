"""A public test kit for search vendors: a contract to subclass, a scripted loopback server, and a zoo of APIs.

* `HttpVendorContract` and `VendorContract`: what every vendor keeps, as pytest tests.
* `serving`, `in_thread`, `Reply`, `json_reply`, `html_reply`: a server on loopback that a test scripts.
* `agentcompass_websearch.tools.testing.zoo.Zoo`: vendors' APIs on loopback, with failures on request.
"""

from agentcompass_websearch.tools.testing.contract import VendorContract
from agentcompass_websearch.tools.testing.http_contract import HttpVendorContract, impatient
from agentcompass_websearch.tools.testing.leaks import CANARY
from agentcompass_websearch.tools.testing.server import (
    LoopbackServer,
    Reply,
    Request,
    html_reply,
    in_thread,
    json_reply,
    serving,
)

__all__ = [
    "CANARY",
    "HttpVendorContract",
    "LoopbackServer",
    "Reply",
    "Request",
    "VendorContract",
    "html_reply",
    "impatient",
    "in_thread",
    "json_reply",
    "serving",
]
