"""Effects and homogeneity, against examples worked by hand and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.stats import effects, homogeneity
from race.stats.processes import RoundValues


def _steady(level: float, rounds: int = 12, wobble: float = 0.004) -> RoundValues:
    return {number: level + wobble * math.sin(7 * number + 50 * level) for number in range(rounds)}


FACTORS = {
    "web": ("aiohttp", "sanic"),
    "loop": ("asyncio", "uvloop"),
    "backend": ("tarantool", "postgres"),
    "python": (),
}


def _design(*levels: str) -> dict[str, str]:
    return dict(zip(FACTORS, levels, strict=True))


def test_effects_by_hand() -> None:
    """uvloop buys exp(0.3) and exp(0.31) on two pairs: exp(0.305) on the mean, in every round."""
    designs = {
        "aiohttp": _design("aiohttp", "asyncio", "tarantool", "3.13"),
        "aiohttp, uvloop": _design("aiohttp", "uvloop", "tarantool", "3.13"),
        "sanic": _design("sanic", "asyncio", "tarantool", "3.13"),
        "sanic, uvloop": _design("sanic", "uvloop", "tarantool", "3.13"),
        "other": _design("sanic", "asyncio", "postgres", "3.7"),
    }
    levels = {"aiohttp, uvloop": 0.3, "sanic, uvloop": 0.31}
    contenders = {name: _steady(levels.get(name, 0.0), wobble=0) for name in designs}
    found = {
        (effect.factor, effect.level, effect.reference): effect
        for effect in effects.effects(contenders, designs, FACTORS, math.log(1.03))
    }
    loop = found["loop", "uvloop", "asyncio"]
    assert loop.estimate is not None
    assert loop.estimate.value == pytest.approx(0.305)
    assert loop.pairs == (("aiohttp, uvloop", "aiohttp"), ("sanic, uvloop", "sanic"))
    assert [one.value for one in loop.estimates] == pytest.approx([0.3, 0.31])
    assert (loop.agree, loop.direction) == (True, 1)
    # "other" differs from everyone in two factors: it proves nothing about either.
    assert list(found) == [("web", "sanic", "aiohttp"), ("loop", "uvloop", "asyncio")]


MARGIN = math.log(1.03)


def of_loop(
    contenders: dict[str, RoundValues], designs: dict[str, dict[str, str]], margin: float = MARGIN
) -> effects.Effect:
    """Return the effect of the event loop."""
    found = effects.effects(contenders, designs, FACTORS, margin)
    return next(one for one in found if one.factor == "loop")


def by_name(contenders: dict[str, RoundValues]) -> dict[str, dict[str, str]]:
    """Return designs of contenders that are named "sanic" or "sanic, uvloop"."""
    return {
        name: {"web": name.split(",")[0], "loop": "uvloop" if "," in name else "asyncio"}
        for name in contenders
    }


def _two_pairs(apart: float, wobble: float) -> effects.Effect:
    """uvloop against asyncio on two frameworks, on one it buys `apart` more."""
    random = np.random.default_rng(11)
    levels = {"aiohttp": 0.0, "aiohttp, uvloop": 0.2, "sanic": 0.0, "sanic, uvloop": 0.2 + apart}
    contenders: dict[str, RoundValues] = {
        name: dict(enumerate(level + random.normal(0, wobble, 9))) for name, level in levels.items()
    }
    return of_loop(contenders, by_name(contenders))


def test_pairs_that_disagree_have_no_mean() -> None:
    together = _two_pairs(0.0, 0.01)
    assert together.agree
    assert together.estimate is not None
    assert together.direction == 1
    assert together.p_homogeneous > 0.05
    apart = _two_pairs(0.3, 0.01)
    assert (apart.agree, apart.estimate, apart.direction) == (False, None, 0)
    assert [round(one.value, 1) for one in apart.estimates] == [0.2, 0.5]


def test_a_spread_that_does_not_matter_is_no_disagreement() -> None:
    """Two percent more on one framework: homogeneity is refused, and nobody would care."""
    found = _two_pairs(0.02, 0.002)
    assert found.p_homogeneous <= 0.05
    assert found.agree


def test_homogeneity_decides_where_no_interval_lies_beyond_the_margin() -> None:
    """4 % more on one framework in all six rounds, 2 % in one: p = 2/64, from 1.02 to 1.06."""
    more = [0.02, 0.03, 0.04, 0.05, 0.06, 0.04]
    contenders: dict[str, RoundValues] = {
        "aiohttp": dict.fromkeys(range(6), 0.0),
        "aiohttp, uvloop": dict.fromkeys(range(6), 0.2),
        "sanic": dict.fromkeys(range(6), 0.0),
        "sanic, uvloop": dict(enumerate(0.2 + one for one in more)),
    }
    loop = of_loop(contenders, by_name(contenders))
    assert loop.p_homogeneous == 2 / 64
    assert (loop.agree, loop.estimate) == (False, None)
    assert of_loop(contenders, by_name(contenders), math.log(1.05)).agree


def test_two_pairs_that_clearly_differ_disagree_whatever_noisy_ones_hide() -> None:
    random = np.random.default_rng(9)
    wild: list[float] = random.normal(0.15, 0.5, 9).tolist()
    buys = {"a": [0.1] * 9, "b": [0.2] * 9, "c": wild}
    contenders: dict[str, RoundValues] = {name: dict.fromkeys(range(9), 0.0) for name in buys}
    contenders |= {f"{name}, uvloop": dict(enumerate(found)) for name, found in buys.items()}
    loop = of_loop(contenders, by_name(contenders))
    assert loop.p_homogeneous > 0.05
    assert not loop.agree


def test_effects_of_a_factor_that_is_ignored_are_not_shown() -> None:
    contenders = {name: _steady(0.0) for name in ("a", "b", "c")}
    designs = {
        "a": {"loop": "asyncio", "backend": "tarantool"},
        "b": {"loop": "uvloop", "backend": "tarantool"},
        "c": {"loop": "asyncio", "backend": "postgres"},
    }
    shown = effects.effects(contenders, designs, FACTORS, 0.1, ignored=("backend",))
    assert [one.factor for one in shown] == ["loop"]


def test_homogeneity_by_hand() -> None:
    # Two columns, three rounds, always the second larger: 2 of 8 orders spread the sums as far.
    assert homogeneity.p_value(np.array([[0.0, 1], [0, 2], [0, 3]])) == 2 / 8
    # Differences 1, 2, -4: sums of +-1 +-2 +-4 at least 1 away from 0: all 8.
    assert homogeneity.p_value(np.array([[0.0, 1], [0, 2], [4, 0]])) == 1
    assert homogeneity.p_value(np.array([[1.0], [2.0]])) == 1


def test_homogeneity_of_two_is_fishers_test_of_the_differences() -> None:
    from scipy import stats

    random = np.random.default_rng(3)
    for _ in range(10):
        table = random.normal(0, 1, (7, 2)) + np.array([0, 0.5])
        found = stats.permutation_test(
            (table[:, 0] - table[:, 1],),
            np.sum,
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert homogeneity.p_value(table) == pytest.approx(found.pvalue)


def test_homogeneity_of_many_refuses_equal_columns_in_5_of_100() -> None:
    random = np.random.default_rng(5)
    tables = random.standard_t(3, (300, 6, 4))
    refused = np.mean([homogeneity.p_value(table) <= 0.05 for table in tables])
    assert 0.02 <= refused <= 0.08
    shifted = tables[:50] / 10 + np.array([0, 0, 0, 1])
    assert all(homogeneity.p_value(table) < 0.05 for table in shifted)


def test_effects_compare_levels_without_an_order_of_their_own_by_their_numbers() -> None:
    contenders = {"old": _steady(0.0), "new": _steady(0.3)}
    designs = {"old": {"python": "3.7"}, "new": {"python": "3.13"}}
    (effect,) = effects.effects(contenders, designs, {"python": ()}, math.log(1.03))
    assert (effect.factor, effect.level, effect.reference) == ("python", "3.13", "3.7")
    assert effect.estimate is not None
    assert effect.estimate.value > 0
    assert (effect.p_homogeneous, effect.agree) == (1, True)


def test_who_lacks_a_factor_that_others_have_is_not_comparable() -> None:
    both = {"web": "sanic", "python": "3.13"}
    designs = {"whole": both, "program": {"python": "3.13"}, "nothing": {}}
    assert list(effects.comparable(designs, FACTORS)) == ["whole"]
    assert list(effects.comparable(designs, {"python": ()})) == ["whole", "program"]
    extra = {"whole": both, "more": {**both, "undeclared": "x"}}
    assert list(effects.comparable(extra, FACTORS)) == ["whole", "more"]


def test_contenders_are_matched_on_factors_of_any_name() -> None:
    contenders = {name: _steady(0.0) for name in ("a", "b", "c")}
    one = {"render": "jinja", "workers": "1"}
    designs = {"a": one, "b": {**one, "render": "prepared"}, "c": {"render": "x", "workers": "2"}}
    found = effects.effects(contenders, designs, {"render": ["jinja"], "workers": []}, 0.1)
    assert [(one.factor, one.level, one.pairs) for one in found] == [
        ("render", "prepared", (("b", "a"),))
    ]


@pytest.mark.parametrize(
    ("levels", "declared", "ordered"),
    [
        (("3.13", "3.7"), (), ["3.7", "3.13"]),
        (("10", "2", "1"), (), ["1", "2", "10"]),
        (("query", "pool", "one"), ("one", "pool", "query"), ["one", "pool", "query"]),
        (("b", "new", "a", "a"), ("b",), ["b", "a", "new"]),
    ],
)
def test_order_of_levels(
    levels: tuple[str, ...], declared: tuple[str, ...], ordered: list[str]
) -> None:
    assert effects.in_order(levels, declared) == ordered


def test_a_level_without_a_pair_is_named_with_what_else_differs() -> None:
    designs = [
        _design("aiohttp", "asyncio", "tarantool", "3.13"),
        _design("sanic", "asyncio", "tarantool", "3.7"),
        _design("sanic", "uvloop", "tarantool", "3.7"),
    ]
    assert [(one.factor, one.level, one.also) for one in effects.unmatched(designs, FACTORS)] == [
        ("web", "sanic", ("python",)),
        ("python", "3.13", ("web",)),
    ]
