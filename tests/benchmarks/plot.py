"""Curves on logarithmic axes as a picture in SVG, by hand: two panels are not worth a plotting library."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 460, 330  # of a panel, px
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 34, 44  # margins inside it
LEGEND = 190
TEXT = 'font-family="sans-serif" font-size="12" fill="#222"'


@dataclass(frozen=True)
class Curve:
    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    title: str
    across: str  # what the axes say
    up: str
    curves: Sequence[Curve]
    least: float  # what is below is drawn there
    log_x: bool = False


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        low, high, x = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        return self.start + (x - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        if not self.log:
            step = 10.0 ** math.floor(math.log10(1.2 * (self.high - self.low))) / 5.0
            return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1)]
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        step = 1 if len(powers) < 9 else 2
        return [10.0**k for k in powers if k % step == 0 and self.low <= 10.0**k <= self.high]


def draw(panels: Sequence[Panel]) -> str:
    """The panels beside each other, and the names of the first one's curves."""
    width, height = WIDTH * len(panels) + LEGEND, HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for k, panel in enumerate(panels):
        parts += draw_panel(panel, WIDTH * k)
    for k, curve in enumerate({c.name: c for panel in panels for c in panel.curves}.values()):
        y = TOP + 14 + 22 * k
        x = WIDTH * len(panels) + 8
        parts.append(line([(x, y - 4), (x + 26, y - 4)], curve.colour, curve.dashed))
        parts.append(label(x + 34, y, curve.name, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw_panel(panel: Panel, left: float) -> list[str]:
    values = [max(v, panel.least) for c in panel.curves for v in c.y]
    places = [v for c in panel.curves for v in c.x]
    top = 10.0 ** math.ceil(math.log10(max(values)))
    x = Scale(min(places), max(places), left + LEFT, left + WIDTH - RIGHT, panel.log_x)
    y = Scale(panel.least, top, HEIGHT - BOTTOM, TOP, True)
    parts = [label(left + WIDTH / 2, 20, panel.title, "middle", ' font-weight="bold"')]
    for tick in y.ticks():
        parts.append(line([(x.start, y(tick)), (x.end, y(tick))], "#ddd"))
        parts.append(label(x.start - 6, y(tick) + 4, f"{tick:.0e}", "end"))
    ticks = sorted(set(places)) if panel.log_x else x.ticks()
    for tick in ticks:
        parts.append(line([(x(tick), y.start), (x(tick), y.end)], "#ddd"))
        parts.append(label(x(tick), y.start + 16, f"{tick:.3g}", "middle"))
    parts.append(label((x.start + x.end) / 2, HEIGHT - 8, panel.across, "middle"))
    middle = (y.start + y.end) / 2
    parts.append(label(left + 14, middle, panel.up, "middle", f' transform="rotate(-90 {left + 14} {middle})"'))
    for curve in panel.curves:
        points = [(x(a), y(max(b, panel.least))) for a, b in zip(curve.x, curve.y, strict=True)]
        parts.append(line(points, curve.colour, curve.dashed, 1.8))
    return parts


def line(points: Sequence[tuple[float, float]], colour: str, dashed: bool = False, width: float = 1.2) -> str:
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'


def label(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {TEXT}{more}>{escape(text)}</text>'
