"""Pictures of the stickers: a creature for every number, drawn from its hash."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, TypeVar

PICTURES_CACHED = 2_048

T = TypeVar("T")


class _Palette(NamedTuple):
    backdrop: str
    body: str
    light: str
    accent: str
    ink: str


class _Place(NamedTuple):
    """The places of things on a body; pairs are ``_apart`` to each side of the middle."""

    ears_apart: int
    ears: int
    top: int
    eyes: int
    eyes_apart: int
    arms_apart: int
    arms: int
    feet: int


@lru_cache(maxsize=PICTURES_CACHED)
def picture(sticker_id: int) -> bytes:
    """Return the picture of a sticker, 1 to 3 kB of SVG, the same on every interpreter."""
    dice = _Dice(sticker_id)
    colours = _Palette(*dice.part("palettes")[0].split())
    turn, tilt = dice.between(-40, 40), dice.between(-7, 7)
    creature = _Creature(dice, colours)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -6 208 208" stroke-linejoin="round"'
        ' stroke-linecap="round"><g fill="#fff" stroke="#fff" stroke-width="17">'
        f'<g id="k" transform="rotate({turn} 100 104)">{dice.part("backdrops")[0]}</g>'
        f'<g transform="rotate({tilt} 100 110)">{creature.silhouette()}</g></g>'
        f'<use href="#k" fill="{colours.backdrop}"/>'
        '<g fill="#fff" stroke="#fff" stroke-width="0" opacity=".4">'
        f"{dice.part('decorations')[0]}</g>"
        f'<g transform="rotate({tilt} 100 110)" color="{colours.ink}" stroke="{colours.ink}"'
        f' stroke-width="5" fill="{colours.body}">{creature.limbs()}{creature.trunk()}'
        f"{creature.face()}{creature.extras()}</g></svg>"
    ).encode()


def _read_parts() -> Dict[str, List[List[str]]]:
    """Return the file of parts: section -> lines -> columns."""
    sections: Dict[str, List[List[str]]] = {}
    rows: List[List[str]] = []
    for line in Path(__file__).with_name("creatures.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith(";"):
            columns = [column.strip() for column in line.split("|")]
            rows.append(["" if column == "none" else column for column in columns])
    return sections


_PARTS = _read_parts()


class _Dice:
    """Makes choices that depend on a number alone: the digits of its hash, in a mixed base."""

    def __init__(self, number: int) -> None:
        self._left = int.from_bytes(sha256(b"sticker %d" % number).digest(), "big")

    def between(self, low: int, high: int) -> int:
        self._left, value = divmod(self._left, high - low + 1)
        return low + value

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.between(0, len(choices) - 1)]

    def part(self, section: str) -> List[str]:
        return self.pick(_PARTS[section])


class _Creature:
    """A creature; each method returns one layer of it as SVG, from back to front."""

    def __init__(self, dice: _Dice, colours: _Palette) -> None:
        self._dice, self._colours = dice, colours
        self._outline, numbers = dice.part("bodies")
        self._at = _Place(*map(int, numbers.split()))
        self._ear_style, self._ear, self._ear_inside = dice.part("ears")
        self._top_colour, self._top, self._top_details = dice.part("tops")
        self._arm = dice.part("arms")[0]
        self._other_arm = dice.part("arms")[0] if self._arm else ""
        self._feet = dice.part("feet")[0] if self._at.feet else ""

    def silhouette(self) -> str:
        """Return all shapes that reach the rim, with ids and without colours."""
        at = self._at
        return (
            f'<g id="l">{_pair(self._arm, self._other_arm, at.arms_apart, at.arms)}'
            f'<g transform="translate(0 {at.feet})">{self._feet}</g></g>'
            f'<g id="e">{_pair(self._ear, self._ear, at.ears_apart, at.ears)}</g>'
            f'<path id="b" d="{self._outline}"/>'
            f'<g id="t" transform="translate(100 {at.top})">{self._top}</g>'
        )

    def limbs(self) -> str:
        """Return arms, feet and the ears behind the head."""
        return '<use href="#l"/>' + ("" if self._ear_style == "floppy" else self._ears())

    def trunk(self) -> str:
        """Return the body with its pattern, and the ears in front of the head."""
        light, ink = self._colours.light, self._colours.ink
        fill, opacity = self._dice.pick(((light, "1"), (light, ".6"), (ink, ".16")))
        return (
            '<clipPath id="c"><use href="#b"/></clipPath><use href="#b"/>'
            f'<g clip-path="url(#c)" stroke="none" fill="{fill}" opacity="{opacity}">'
            f'{self._dice.part("patterns")[0]}</g><use href="#b" fill="none"/>'
        ) + (self._ears() if self._ear_style == "floppy" else "")

    def face(self) -> str:
        """Return cheeks, eyes and mouth."""
        at, dice = self._at, self._dice
        apart = at.eyes_apart + dice.between(-3, 2)
        cheek = dice.part("cheeks")[0]
        return (
            f'<g fill="#ff5a7d" stroke="none" opacity=".5">'
            f"{_pair(cheek, cheek, apart + 13, at.eyes + 20)}</g>"
            f'<g fill="currentColor" stroke="none">{self._eyes(apart)}</g>'
            f'<g fill="none" transform="translate(100 {at.eyes + 23})">'
            f"{dice.part('mouths')[0]}</g>"
        )

    def extras(self) -> str:
        """Return clothes and hats."""
        at, colours = self._at, self._colours
        top_colour = colours.body if self._top_colour == "body" else colours.accent
        return (
            f'<g fill="{colours.accent}" transform="translate(100 {at.eyes + 50})">'
            f'{self._dice.part("worn")[0]}</g><use href="#t" fill="{top_colour}"/>'
            f'<g fill="{colours.light}" stroke-width="4" transform="translate(100 {at.top})">'
            f"{self._top_details}</g>"
        )

    def _ears(self) -> str:
        at, colours = self._at, self._colours
        fill = colours.light if self._ear_style == "horn" else colours.body
        inside = _pair(self._ear_inside, self._ear_inside, at.ears_apart, at.ears)
        return f'<use href="#e" fill="{fill}"/><g fill="{colours.light}" stroke="none">{inside}</g>'

    def _eyes(self, apart: int) -> str:
        at, dice = self._at, self._dice
        left, right = dice.part("eyes")
        kind = dice.between(1, 12)
        if kind == 1 and apart < 30:
            single = dice.part("single eyes")[0]
            return f'<g transform="translate(100 {at.eyes - 4})">{single}</g>'
        eyes = _pair(left, right, apart, at.eyes, mirrored=False)
        if kind == 2 and not self._top:
            eyes += f'<g transform="translate(100 {at.eyes})">{dice.part("third eyes")[0]}</g>'
        return eyes


def _pair(left: str, right: str, apart: int, y: int, mirrored: bool = True) -> str:
    """Return a shape to the left and one to the right of the middle, or "" for two empty ones."""
    if not left and not right:
        return ""
    x = 100 + apart
    move = f"matrix(-1 0 0 1 {x} {y})" if mirrored else f"translate({x} {y})"
    return (
        f'<g transform="translate({100 - apart} {y})">{left}</g><g transform="{move}">{right}</g>'
    )
