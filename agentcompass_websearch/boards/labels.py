"""Puts the names of points beside them so that they cover each other as little as possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from agentcompass_websearch.boards.names import columns_in

Label = tuple[Literal["left", "center", "right"], int, int]
"""How a name is aligned, and how far it stands from its point, in pixels."""

_PLACES: tuple[Label, ...] = (("left", 9, 0), ("right", -9, 0), ("center", 0, -13), ("center", 0, 14))
_CHAR_PX, _LINE_PX, _POINT_PX = 6.2, 13.0, 12.0

_Box = tuple[float, float, float, float]


def place_labels(
    xs: Sequence[float],
    ys: Sequence[float],
    names: Sequence[str],
    x_domain: Sequence[float],
    y_domain: Sequence[float],
    width: float,
    height: float,
    *,
    logarithmic: bool,
) -> list[Label]:
    """Return a place for each name: the first of four that is free, else the one that covers least."""

    def along(value: float, domain: Sequence[float], curve: bool) -> float:
        low, high, at = (math.log(v) if curve else v for v in (*domain, value))
        return (at - low) / (high - low)

    points = [
        (along(x, x_domain, logarithmic) * width, (1 - along(y, y_domain, False)) * height)
        for x, y in zip(xs, ys, strict=True)
    ]
    taken: list[_Box] = [
        (x - _POINT_PX / 2, y - _POINT_PX / 2, x + _POINT_PX / 2, y + _POINT_PX / 2) for x, y in points
    ]
    labels = []
    for (x, y), name in zip(points, names, strict=True):
        boxes = {place: _box(x, y, columns_in(name) * _CHAR_PX, place) for place in _PLACES}
        best = min(
            _PLACES,
            key=lambda place: sum(_shared(boxes[place], other) for other in taken) + _outside(boxes[place], width),
        )
        taken.append(boxes[best])
        labels.append(best)
    return labels


def _box(x: float, y: float, text_px: float, place: Label) -> _Box:
    align, dx, dy = place
    left = {"left": x + dx, "right": x + dx - text_px, "center": x - text_px / 2}[align]
    return left, y + dy - _LINE_PX / 2, left + text_px, y + dy + _LINE_PX / 2


def _shared(a: _Box, b: _Box) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _outside(box: _Box, width: float) -> float:
    return (max(0.0, -box[0]) + max(0.0, box[2] - width)) * _LINE_PX * 2
