"""Colours, dashes and signs of contenders, which follow from their factors alone.

The first factor of a discipline gives the hue, the same in every chart and table; the plainest
level of the second is paler, and dashed as a line. The accents are defined in templates/style.css,
for light, dark and paper.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from race.analysis.model import Analysis, ContenderResult
from race.stats.effects import in_order

ACCENTS = 8
PARTS = re.compile(r"-|, ")
SIGNS = (
    "M0-4a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
    "M-3.5-3.5h7v7h-7z",
    "M0-5l4 5l-4 5l-4-5z",
    "M0-4.5l4.5 8h-9z",
    "M-1.5-4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z",
    "M0 4.5l-4.5-8h9z",
)
"""Paths of the signs on lines: circle, square, diamond, triangle, cross, triangle upside down."""


@dataclass(frozen=True, slots=True)
class Look:
    """A contender's name, also without the parts that all share, its colour, whether that is pale,
    and the sign on its lines.
    """

    label: str
    short: str
    colour: str
    pale: bool
    sign: str = SIGNS[0]

    @property
    def opacity(self) -> float | None:
        """The opacity of its bars; None: they are opaque."""
        return 0.6 if self.pale else None

    @property
    def dash(self) -> str | None:
        """The dashes of its lines; None: they have none."""
        return "5 3" if self.pale else None


@dataclass(frozen=True, slots=True)
class Palette:
    """`accents` is level of the hue's factor to the name of its accent; `hues` the levels that were
    raced. `shade` is the first other factor with several levels: `plain` is its pale level, `bold`
    are the others; all three are empty where no other factor has a choice.
    `names` is label to name without the parts that all share.
    """

    hue: str
    accents: Mapping[str, str]
    hues: tuple[str, ...]
    shade: str
    plain: str
    bold: tuple[str, ...]
    names: Mapping[str, str]

    def look(self, result: ContenderResult) -> Look:
        """Return what a contender looks like beside its name."""
        accent = self.accents.get(result.factors.get(self.hue, ""), "accent1")
        pale = bool(self.plain) and result.factors.get(self.shade) == self.plain
        short = self.names.get(result.label, result.label)
        return Look(result.label, short, f"var(--{accent})", pale)

    def lines(self, results: Iterable[ContenderResult]) -> dict[str, Look]:
        """Return label to look as a line, no two alike up to six of one colour and dash."""
        found: dict[str, Look] = {}
        seen: Counter[tuple[str, bool]] = Counter()
        for item in sorted(results, key=lambda item: item.label):
            if item.label not in found:
                look = self.look(item)
                kind = look.colour, look.pale
                found[item.label] = replace(look, sign=SIGNS[seen[kind] % len(SIGNS)])
                seen[kind] += 1
        return found


def palette(analysis: Analysis) -> Palette:
    """Return the palette of a race; levels beyond the last accent begin again with the first."""
    hue, *others = [*analysis.discipline.factors, ""]
    declared = _levels(analysis, hue)
    raced = [item for one in analysis.comparisons for item in one.results]
    shade, shades = _shade(analysis, others, raced)
    return Palette(
        hue=hue,
        accents={level: f"accent{place % ACCENTS + 1}" for place, level in enumerate(declared)},
        hues=tuple(level for level in declared if level in _raced(raced, hue)),
        shade=shade,
        plain=shades[0] if shades else "",
        bold=tuple(shades[1:]),
        names=shortened({item.label for item in raced}),
    )


def _shade(
    analysis: Analysis, factors: Sequence[str], raced: Sequence[ContenderResult]
) -> tuple[str, list[str]]:
    """Return the first of these factors that has more than one level here, and those levels."""
    for factor in factors:
        found = _raced(raced, factor)
        if len(found) > 1:
            return factor, [level for level in _levels(analysis, factor) if level in found]
    return "", []


def _raced(results: Iterable[ContenderResult], factor: str) -> set[str]:
    return {item.factors[factor] for item in results if factor in item.factors}


def shared(labels: Iterable[str]) -> list[str]:
    """Return the parts that all labels have, such as "tarantool"; none where one has no other."""
    parts = [PARTS.split(label) for label in sorted(labels)]
    if len(parts) < 2:
        return []
    common = set(parts[0]).intersection(*parts[1:])
    alike = any(common.issuperset(one) for one in parts)
    return [] if alike else [part for part in parts[0] if part in common]


def shortened(labels: Iterable[str]) -> dict[str, str]:
    """Return label to label without the parts that all have."""
    known = list(labels)
    left_out = shared(known)
    return {label: without(label, left_out) for label in known}


def without(label: str, left_out: Sequence[str]) -> str:
    """Return a label without these parts, and without the signs that joined them."""
    first, *others = PARTS.split(label)
    joined = zip(["", *PARTS.findall(label)], [first, *others], strict=True)
    kept = [sign + part for sign, part in joined if part not in left_out]
    return re.sub(rf"^(?:{PARTS.pattern})", "", "".join(kept))


def _levels(analysis: Analysis, factor: str) -> list[str]:
    """Return declared levels, then others that were raced."""
    declared = analysis.discipline.factors.get(factor, [])
    raced = [one.factors[factor] for one in analysis.race.head.contenders if factor in one.factors]
    return in_order([*declared, *raced], declared)
