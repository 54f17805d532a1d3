"""How contenders are told apart by eye, from their factors alone.

The first factor of a discipline gives the hue, the same in every chart and table; the plainest
level of the second is paler, and dashed as a line. The accents are defined in templates/style.css,
for light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from race.analysis.model import Analysis, ContenderResult
from race.stats.effects import in_order

ACCENTS = 8


@dataclass(frozen=True, slots=True)
class Palette:
    """`accents` is level of the hue's factor to the name of its accent; `hues` the levels that were
    raced. `plain` is the pale level of `shade`, `bold` its other ones; empty without a choice.
    """

    hue: str
    accents: Mapping[str, str]
    hues: tuple[str, ...]
    shade: str
    plain: str
    bold: tuple[str, ...]

    def accent(self, result: ContenderResult) -> str:
        """The name of a contender's accent."""
        return self.accents.get(self.level(result), "accent1")

    def level(self, result: ContenderResult) -> str:
        """What the hue stands for."""
        return result.factors.get(self.hue, "")

    def pale(self, result: ContenderResult) -> bool:
        """Whether it has the plainest level of the second factor."""
        return bool(self.plain) and result.factors.get(self.shade) == self.plain


def palette(analysis: Analysis) -> Palette:
    """The palette of a race; levels beyond the last accent begin again with the first."""
    factors = [*analysis.discipline.factors, "", ""]
    hues, shades = (_levels(analysis, factor) for factor in factors[:2])
    raced = {item.factors.get(factors[0]) for one in analysis.comparisons for item in one.results}
    return Palette(
        hue=factors[0],
        accents={level: f"accent{place % ACCENTS + 1}" for place, level in enumerate(hues)},
        hues=tuple(level for level in hues if level in raced),
        shade=factors[1],
        plain=shades[0] if len(shades) > 1 else "",
        bold=tuple(shades[1:]),
    )


def _levels(analysis: Analysis, factor: str) -> list[str]:
    """Declared levels, then others that were raced."""
    declared = analysis.discipline.factors.get(factor, [])
    raced = [one.factors[factor] for one in analysis.race.head.contenders if factor in one.factors]
    return in_order([*declared, *raced], declared)
