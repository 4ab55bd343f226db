"""Draws chart specifications as SVG and PNG, in this process and without a browser."""

from __future__ import annotations

from typing import Any

import vl_convert


def svg(spec: dict[str, Any], *, name: str) -> str:
    """Return the chart as SVG; `name` is what it is called where it cannot be seen."""
    drawn: str = vl_convert.vegalite_to_svg(spec)
    safe = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{safe}" ', 1)


def png(drawn: str) -> bytes:
    """Return an SVG of `svg` as PNG at twice its size, on white."""
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    start = drawn.index(">", drawn.index("<svg")) + 1
    picture: bytes = vl_convert.svg_to_png(drawn[:start] + ground + drawn[start:], scale=2)
    return picture
