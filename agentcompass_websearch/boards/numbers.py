"""How numbers are written for people. Unknown is a dash, never a zero."""

from __future__ import annotations

DASH = "\u2013"


def percent(rate: float | None, digits: int = 1) -> str:
    """Write a rate in percent, without the sign: ``81.7``."""
    return DASH if rate is None else f"{100 * rate:.{digits}f}"


def points(difference: float | None) -> str:
    """Write a difference of rates in percentage points, signed: ``+4.3``."""
    return DASH if difference is None else f"{100 * difference:+.1f}"


def interval(ends: tuple[float, float] | None, digits: int = 1) -> str:
    """Write an interval of rates in percent: ``76.1 to 86.2``."""
    return DASH if ends is None else f"{percent(ends[0], digits)} to {percent(ends[1], digits)}"


def difference_interval(ends: tuple[float, float] | None) -> str:
    """Write an interval of differences in percentage points, signed."""
    return DASH if ends is None else f"{points(ends[0])} to {points(ends[1])}"


def seconds(value: float | None) -> str:
    """Write seconds with three significant digits or whole seconds: ``0.482 s``, ``38.2 s``, ``104 s``."""
    if value is None:
        return DASH
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f} s"


def dollars(value: float | None) -> str:
    """Write US dollars with as many digits as a price of a call needs: ``$0.0051``, ``$1.24``."""
    if value is None:
        return DASH
    if value == 0:
        return "$0"
    return f"${value:.2f}" if value >= 1 else f"${value:.4f}" if value >= 0.001 else f"${value:.6f}"


def whole(value: float | None) -> str:
    """Write a count with separators: ``27,433``."""
    return DASH if value is None else f"{value:,.0f}"


def p_value(value: float | None) -> str:
    """Write a p value: ``0.034``, ``< 0.001``."""
    if value is None:
        return DASH
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def listed(words: list[str]) -> str:
    """Write a list as people do: ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
