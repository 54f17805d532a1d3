"""Line charts as SVG, for the reports, the page and the documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float | None]]
"""Seconds and values in order of time; None where a value is not known, which breaks the line."""

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 32, 34, 26
TICKS = 4
INKS = ("#1f77b4", "#d1495b", "#2a9d62", "#8b5cf6")
STEPS = (1, 2, 2.5, 5, 10)
# (most seconds, seconds of the unit, unit) of an axis
UNITS = ((600, 1, "s"), (3 * 3600, 60, "min"), (math.inf, 3600, "h"))


def line_chart(title: str, lines: Mapping[str, Points]) -> str:
    """Draw lines by name over an axis of seconds; the axis of values begins at 0."""
    values = [value for points in lines.values() for _, value in points if value is not None]
    last = max((points[-1][0] for points in lines.values() if points), default=0.0)
    length, unit = next((length, unit) for most, length, unit in UNITS if last <= most)
    across = [length * tick for tick in scale(last / length)]
    up = scale(max(values, default=0.0))
    frame = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="11">'
    )
    parts = [
        frame,
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="18" font-size="13" fill="#222">{escape(title)}</text>',
        *_values(up),
        *_times(across, length, unit),
    ]
    for ink, points in zip(_inks(), lines.values(), strict=False):
        parts += [_path(part, across[-1], up[-1], ink) for part in _pieces(points)]
    if len(lines) > 1:
        parts += _legend(list(lines))
    return "\n".join([*parts, "</svg>", ""])


def scale(most: float) -> list[float]:
    """Return round values from 0 to at least `most`, in TICKS or fewer steps."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(most / TICKS))
    step = next(one * power for one in STEPS if one * power * TICKS >= most * (1 - 1e-9))
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _values(up: list[float]) -> Iterator[str]:
    for value in up:
        y = _y(value, up[-1])
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{value:g}</text>'


def _times(across: list[float], length: int, unit: str) -> Iterator[str]:
    for second in across:
        x = _x(second, across[-1])
        place = f'x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle" fill="#555"'
        yield f"<text {place}>{second / length:g} {unit}</text>"


def _legend(names: list[str]) -> Iterator[str]:
    x = WIDTH - RIGHT
    for ink, name in reversed(list(zip(_inks(), names, strict=False))):
        yield f'<text x="{x}" y="18" text-anchor="end" fill="{ink}">{escape(name)}</text>'
        x -= 14 + 6 * len(name)


def _path(points: Points, across: float, up: float, ink: str) -> str:
    places = [f"{_x(x, across):.1f} {_y(y or 0.0, up):.1f}" for x, y in points]
    return f'<path d="M{"L".join(places)}" fill="none" stroke="{ink}" stroke-width="1.6"/>'


def _pieces(points: Points) -> Iterator[Points]:
    """Split a line into stretches in which every value is known."""
    piece: list[tuple[float, float | None]] = []
    for point in points:
        if point[1] is not None:
            piece.append(point)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _inks() -> Iterator[str]:
    while True:
        yield from INKS


def _x(second: float, last: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * second / last


def _y(value: float, most: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most
