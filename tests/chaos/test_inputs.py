"""The generator of hostile input: from a seed, and no two alike."""

from __future__ import annotations

import random
from itertools import islice

from chaos.faults.hostile import INPUTS, LISTED, LONGEST, RIGHT, inputs

AT_LEAST = 300


def made(seed: int, number: int = 2000) -> list[tuple[str, bytes]]:
    dice = random.Random(seed)  # noqa: S311 - the same again
    return list(islice(inputs(dice), number))


def test_the_same_seed_makes_the_same_inputs() -> None:
    assert made(5, 500) == made(5, 500)
    assert made(5, 500)[len(LISTED) :] != made(6, 500)[len(LISTED) :]


def test_listed_ones_come_first_and_none_comes_twice() -> None:
    found = made(11)
    assert dict(found[: len(LISTED)]) == LISTED
    assert len({text for _, text in found}) == len(found)
    assert len({name for name, _ in found}) == len(found)
    assert INPUTS >= AT_LEAST


def test_none_is_a_request_as_it_should_be_or_beyond_measure() -> None:
    spoilt = [text for _, text in made(11)[len(LISTED) :]]
    assert not set(spoilt) & set(RIGHT)
    assert all(0 < len(text) <= LONGEST for text in spoilt)
