"""The colours of charts and page: one name, its value on light ground, its value on dark ground."""

from __future__ import annotations

from typing import Final

LIGHT: Final = {
    "ink": "#17202b",
    "soft": "#5a6675",
    "grid": "#e3e7ec",
    "group-1": "#0b7a70",
    "group-2": "#2f6fb8",
    "group-3": "#8a55a8",
    "group-4": "#a8662a",
    "group-5": "#6b7280",
    "passed": "#0b7a71",
    "ungrounded": "#4f86c6",
    "uncited": "#9bbfe4",
    "needle-missing": "#e0a13d",
    "not-compiled": "#d0703a",
    "no-answer": "#b0476d",
    "infrastructure": "#8b929c",
    "not-finished": "#cfd4da",
}
DARK: Final = {
    "ink": "#e8ecf1",
    "soft": "#9aa6b4",
    "grid": "#2a323d",
    "group-1": "#3cc2b2",
    "group-2": "#6ea8e8",
    "group-3": "#c493e0",
    "group-4": "#dfa05f",
    "group-5": "#98a1ad",
    "passed": "#2fae9f",
    "ungrounded": "#5f97d8",
    "uncited": "#35597f",
    "needle-missing": "#d39a3c",
    "not-compiled": "#c96d3b",
    "no-answer": "#c05a80",
    "infrastructure": "#717a86",
    "not-finished": "#3a434f",
}


def group_colour(group: int | None) -> str:
    """Return the name of a group's colour; arms without a group and those far behind are grey."""
    return f"group-{min(group or 5, 5)}"


def loss_colour(loss: str) -> str:
    """Return the name of the colour of a way to lose an attempt."""
    return loss.replace("_", "-")


def stylesheet() -> str:
    """Return the custom properties of both grounds."""
    light, dark = ("".join(f"--{name}:{value};" for name, value in theme.items()) for theme in (LIGHT, DARK))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def adaptive(svg: str) -> str:
    """Return an SVG drawn in the light colours so that it follows the page's ground."""
    for name, value in LIGHT.items():
        svg = svg.replace(f'"{value}"', f'"var(--{name})"')
    return svg
