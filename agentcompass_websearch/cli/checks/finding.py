"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is as it should be, worth knowing, doubtful, or broken; `fix` says what to do about it."""

    level: Literal["ok", "note", "warning", "fault"]
    about: str
    message: str
    fix: str = ""
