"""Names that are safe as files and as anchors, whatever an arm or a ticket is called."""

from __future__ import annotations

import hashlib
import re

_UNSAFE = re.compile(r"[^a-z0-9-]+")


def slug(name: str) -> str:
    """Return a file name for `name`: readable, unique, and nothing but a-z, 0-9 and hyphens."""
    readable = _UNSAFE.sub("-", name.lower()).strip("-")[:60]
    return f"{readable or 'x'}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def audit_folder(arm_id: str) -> str:
    """Return where an arm's audit pages are, beside ``board.html``."""
    return f"audit/{slug(arm_id)}"
