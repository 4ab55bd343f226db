"""The charts of a board, as Altair specifications. The page draws none itself: they come as finished SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.labels import place_labels
from agentcompass_websearch.boards.names import columns_in, names_of, shortened
from agentcompass_websearch.boards.reader.attempt import LOSSES
from agentcompass_websearch.boards.schema import ArmRow, BoardTable
from agentcompass_websearch.boards.statistics.frontier import CERTAIN
from agentcompass_websearch.boards.theme import LIGHT, group_colour, loss_colour

Spec = dict[str, Any]
Value = Callable[[ArmRow], float | None]
Write = Callable[[float | None], str]
ROW_PX = 26
NAME_CHAR_PX = 7.6
SCATTER_PX = 300
NAME_SHARE = 0.36
"""How much of a chart's width the names beside its rows may take."""
SCATTER_NAME = 24
"""How many columns of a name a scatter plot has room for beside any of its points."""

COLOUR = alt.Color("colour:N", scale=None)
SAID = alt.Description("said:N")

_PRICES_TO_PAY: tuple[tuple[str, str, Value, Write], ...] = (
    ("cost", "Median task cost", lambda arm: arm.median_cost_usd, n.dollars),
    ("time", "Median task time", lambda arm: arm.median_task_s, n.seconds),
)


def bars(table: BoardTable, width: int) -> dict[str, Spec]:
    """Return the charts with a row an arm, by name, `width` pixels wide."""
    return {"completion": completion(table.arms, width), "losses": losses(table.arms, width)}


def scatters(table: BoardTable, width: int) -> dict[str, Spec]:
    """Return completion over dollars and over seconds, by name; where no two arms differ in it there is none."""
    made = {}
    for name, title, value, write in _PRICES_TO_PAY:
        shown = [arm for arm in table.arms if arm.completion.mean is not None and value(arm) is not None]
        if len({value(arm) for arm in shown}) > 1:
            made[name] = scatter(shown, width, title, value, write)
    return made


def completion(arms: Sequence[ArmRow], width: int) -> Spec:
    """Return the rates with their intervals, the repeats as ticks, arms of a group in one colour."""
    rows, repeats = [], []
    full, short = names_of(arms), _row_names(arms, width)
    for arm in arms:
        if arm.completion.mean is None or arm.completion.ci95 is None:
            continue
        low, high = arm.completion.ci95
        rate, ends = n.percent(arm.completion.mean), n.interval(arm.completion.ci95)
        said = f"{full[arm.id]}: {rate} %, 95 % interval {ends} %"
        rows.append(
            {"arm": short[arm.id], "mean": arm.completion.mean, "low": low, "high": high, "said": said}
            | {"colour": LIGHT[group_colour(arm.group)], "label": rate}
        )
        repeats += [{"arm": short[arm.id], "rate": rate} for rate in arm.completion.per_repeat if rate is not None]
    y = alt.Y("arm:N", sort=None, title=None, axis=_name_axis(rows, width))
    base = alt.Chart(alt.NamedData("arms")).encode(y=y, color=COLOUR)
    x = alt.X("low:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=_whole_axis(width))
    spans = base.mark_rule(strokeWidth=9, opacity=0.28, strokeCap="round").encode(
        x=x, x2=alt.X2("high:Q"), description=SAID
    )
    ticks = (
        alt.Chart(alt.NamedData("repeats"))
        .mark_tick(thickness=1.5, size=13, color=LIGHT["soft"])
        .encode(y=y, x=alt.X("rate:Q"))
    )
    dots = base.mark_circle(size=70, opacity=1).encode(x=alt.X("mean:Q"), description=SAID)
    return _finished(alt.layer(spans, ticks, dots), width, {"step": ROW_PX}, arms=rows, repeats=repeats)


def scatter(
    arms: Sequence[ArmRow],
    width: int,
    title: str,
    value: Value,
    write: Write,
) -> Spec:
    """Return completion over a price to pay, in dollars or seconds; dominated arms are hollow."""
    values = [v for arm in arms if (v := value(arm)) is not None]
    low, high = min(values), max(values)
    logarithmic = low > 0 and high / low > 8
    x_domain = (
        [low / 1.5, high * 1.5] if logarithmic else [max(0.0, low - (high - low) * 0.15), high + (high - low) * 0.2]
    )
    means = [arm.completion.mean or 0.0 for arm in arms]
    ends = [end for arm in arms if arm.completion.ci95 for end in arm.completion.ci95]
    y_domain = [max(0.0, min([*means, *ends]) - 0.03), min(1.0, max([*means, *ends]) + 0.03)]
    full = names_of(arms)
    names = shortened(list(full.values()), SCATTER_NAME)
    labels = place_labels(values, means, names, x_domain, y_domain, width, SCATTER_PX, logarithmic=logarithmic)
    rows = [
        {"value": v, "mean": mean, "low": (arm.completion.ci95 or (mean, mean))[0]}
        | {"high": (arm.completion.ci95 or (mean, mean))[1], "colour": LIGHT[group_colour(arm.group)]}
        | {"fill": "transparent" if (arm.dominated or 0.0) >= CERTAIN else LIGHT[group_colour(arm.group)]}
        | {"said": f"{full[arm.id]}: {n.percent(mean)} % at {write(v)}", "arm": name}
        for arm, name, v, mean in zip(arms, names, values, means, strict=True)
    ]
    scale = alt.Scale(type="log" if logarithmic else "linear", domain=x_domain, nice=False)
    digits = ("$,.2f" if high >= 0.05 else "$,.3f") if write is n.dollars else ",.0f" if high >= 5 else ",.2f"
    unit = "" if write is n.dollars else " in seconds"
    axis = alt.Axis(format=digits, tickCount=5, title=title + unit + (", logarithmic" if logarithmic else ""))
    x = alt.X("value:Q", scale=scale, axis=axis)
    y_scale = alt.Scale(domain=y_domain, nice=False)
    y = alt.Y("mean:Q", scale=y_scale, axis=_percent_axis("Task completion"))
    base = alt.Chart(alt.NamedData("arms")).encode(x=x, color=COLOUR)
    spans = base.mark_rule(opacity=0.35, strokeWidth=2).encode(y=alt.Y("low:Q", scale=y_scale), y2=alt.Y2("high:Q"))
    points = base.mark_point(size=80, opacity=1, strokeWidth=2).encode(
        y=y, fill=alt.Fill("fill:N", scale=None), description=SAID
    )
    layers = [spans, points]
    named = {}
    for align, dx, dy in dict.fromkeys(labels):
        here = f"labels {align} {dx} {dy}"
        named[here] = [row for row, label in zip(rows, labels, strict=True) if label == (align, dx, dy)]
        layers.append(
            alt.Chart(alt.NamedData(here))
            .mark_text(align=align, dx=dx, dy=dy, color=LIGHT["ink"], fontSize=11)
            .encode(x=x, y=y, text=alt.Text("arm:N"))
        )
    return _finished(alt.layer(*layers), width, SCATTER_PX, arms=rows, **named)


def losses(arms: Sequence[ArmRow], width: int) -> Spec:
    """Return where the planned attempts of each arm went, as shares."""
    order = ["passed", *reversed(LOSSES)]
    rows = []
    full, short = names_of(arms), _row_names(arms, width)
    for arm in arms:
        total = sum(arm.funnel.values()) or 1
        for place, loss in enumerate(order):
            if count := arm.funnel[loss]:
                said = f"{full[arm.id]}: {count} {loss.replace('_', ' ')}"
                rows.append(
                    {"arm": short[arm.id], "share": count / total, "order": place, "said": said}
                    | {"colour": LIGHT[loss_colour(loss)]}
                )
    chart = (
        alt.Chart(alt.NamedData("shares"))
        .mark_bar(size=16)
        .encode(
            y=alt.Y("arm:N", sort=None, title=None, axis=_name_axis(rows, width)),
            x=alt.X("share:Q", stack=True, title=None, scale=alt.Scale(domain=[0, 1]), axis=_whole_axis(width)),
            color=COLOUR,
            order=alt.Order("order:Q"),
            description=SAID,
        )
    )
    return _finished(chart, width, {"step": ROW_PX}, shares=rows)


def _row_names(arms: Sequence[ArmRow], width: int) -> dict[str, str]:
    """Return what the rows of a chart are called, by the arms' ids, as long as there is room for."""
    names = names_of(arms)
    return dict(zip(names, shortened(list(names.values()), int(width * NAME_SHARE / NAME_CHAR_PX)), strict=True))


def _name_axis(rows: Sequence[Mapping[str, Any]], width: int) -> alt.Axis:
    """Return an axis with room for the names in whatever font the reader has."""
    longest = max((columns_in(row["arm"]) for row in rows), default=0)
    room = int(longest * NAME_CHAR_PX) + 10
    return alt.Axis(grid=False, labelLimit=room, labelPadding=8, minExtent=room)


def _whole_axis(width: int) -> alt.Axis:
    """Return an axis from 0 to 100 %; on a phone there is room for every quarter only."""
    return _percent_axis(values=[0, 0.25, 0.5, 0.75, 1] if width < 500 else [0, 0.2, 0.4, 0.6, 0.8, 1])


def _percent_axis(title: str | None = None, values: Sequence[float] = ()) -> alt.Axis:
    ticks: dict[str, Any] = {"values": list(values)} if values else {"tickCount": 5}
    return alt.Axis(format=".0%", title=title, **ticks)


def _finished(chart: Any, width: int, height: Any, **data: Sequence[Mapping[str, Any]]) -> Spec:
    """Return the specification of `chart` with its size, its look and the `data` that it names.

    Altair would check each chart against the whole grammar and copy its data at every step: a third of a board's time.
    """
    spec: Spec = chart.to_dict(validate=False)
    quiet = {"labelColor": LIGHT["soft"], "titleColor": LIGHT["soft"], "gridColor": LIGHT["grid"], "domain": False}
    config = {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "padding": 4,
        "view": {"stroke": None},
        "axis": quiet | {"ticks": False, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
        "axisY": {"labelColor": LIGHT["ink"], "labelFontSize": 12, "labelPadding": 8, "titlePadding": 14},
    }
    size = {"width": width, "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    return spec | size | {"config": config, "datasets": data}
