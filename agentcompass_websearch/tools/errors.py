"""What follows from each kind of vendor failure: retried or not, fatal or not, and what the model is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from agentcompass_websearch.tools.contract import ErrorKind, VendorError

type Fatal = Literal["at_once", "after_retries", "never"]


@dataclass(frozen=True, slots=True)
class Policy:
    """`retry`: the same call is tried again. `fatal`: when it ends the attempt. `for_model`: one plain sentence."""

    retry: bool
    fatal: Fatal
    for_model: str


_DOWN: Final = "The web tool is not available at the moment."

POLICY: Final[Mapping[ErrorKind, Policy]] = MappingProxyType(
    {
        ErrorKind.AUTH: Policy(False, "at_once", _DOWN),
        ErrorKind.QUOTA: Policy(False, "at_once", _DOWN),
        ErrorKind.MISCONFIGURED: Policy(False, "at_once", _DOWN),
        ErrorKind.RATE_LIMIT: Policy(True, "after_retries", _DOWN),
        ErrorKind.SERVER: Policy(True, "after_retries", _DOWN),
        ErrorKind.TIMEOUT: Policy(True, "after_retries", "The web tool did not answer in time."),
        ErrorKind.CONNECT: Policy(True, "after_retries", _DOWN),
        ErrorKind.UNREADABLE: Policy(True, "after_retries", "The web tool gave an answer that cannot be read."),
        ErrorKind.BAD_REQUEST: Policy(False, "never", "The web tool refused this request; put it in other words."),
        ErrorKind.TARGET: Policy(False, "never", "This page could not be read."),
        ErrorKind.NOT_PUBLIC: Policy(False, "never", "Only pages at public http(s) addresses can be fetched."),
        ErrorKind.DEADLINE: Policy(False, "never", "There was no time left for this call."),
    }
)

_MODEL_MAY_READ: Final = frozenset({ErrorKind.BAD_REQUEST, ErrorKind.TARGET, ErrorKind.NOT_PUBLIC})


def explain(error: VendorError) -> str:
    """Return what the model is told of `error`: the kind's sentence, and details where they help it to ask better."""
    sentence = POLICY[error.kind].for_model
    return f"{sentence} ({error.message})" if error.kind in _MODEL_MAY_READ else sentence
