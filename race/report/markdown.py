"""A race as Markdown, for an issue, a pull request or a README."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence

from race.analysis import user_loads
from race.analysis.distributions import PERCENTILES, Means, Timed, summaries, timed
from race.analysis.model import Analysis, Comparison
from race.analysis.user_loads import UserLoadResult, WatchedComparison
from race.analysis.values import place
from race.report import format as words
from race.report import sentences
from race.report.answers import answers
from race.report.legend import Group, legend

CELLS = (
    "Of a cell, the median over n cells, in brackets the least and the largest. Times are of all "
    "requests, also of those that failed."
)


def page(analysis: Analysis) -> str:
    """Headline, warnings, legend, who was left out, means over tasks, one ranking for each
    comparison of the closed loop with what more is known of it, fixed rates, what users saw, what
    each choice buys, what an answer is, the command.
    """
    head = analysis.race.head
    first = analysis.headline.text if analysis.headline else head.scenario.get("title", head.race)
    parts = [f"# {escape(first)}"]
    parts += [f"> {escape(warning)}" for warning in analysis.trust.warnings]
    parts += [_legend(found)] if (found := legend(analysis, cells=False)) else []
    parts += [escape(f"Left out: {'; '.join(head.left_out)}.")] if head.left_out else []
    parts += [_mean(analysis, one) for one in summaries(analysis)]
    watched = {one.comparison.work: one for one in user_loads.watched(analysis)}
    for comparison in analysis.closed():
        parts += [
            _comparison(analysis, comparison),
            _more(analysis, comparison, watched.get(comparison.work)),
        ]
    parts += _rates(analysis)
    groups = user_loads.user_loads(analysis)
    parts += [escape(text) for text in user_loads.known_limits(groups)]
    parts += [_user_load(group) for group in groups]
    parts += [_choices(analysis), _answers(analysis)]
    commit = escape(words.commit(head.environment)) if head.environment.commit else ""
    where = f" on commit {commit}" if commit else ""
    parts.append(f"Repeat it{where}:\n\n{code(shlex.join(head.command))}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _legend(groups: Sequence[Group]) -> str:
    """What words and signs mean: a reader who knows them sees one line."""
    parts = []
    for group in groups:
        lines = (f"- **{escape(one.term)}**: {escape(one.text)}" for one in group.entries)
        parts.append(f"**{escape(group.title)}**")
        parts.append("\n".join(lines))
    return _folded("How to read this", *parts)


def _folded(title: str, *parts: str) -> str:
    """What opens at a click."""
    summary = f"<details><summary>{escape(title)}</summary>"
    return "\n\n".join([summary, *parts, "</details>"])


def _mean(analysis: Analysis, found: Means) -> str:
    """The geometric mean over tasks under one load."""
    discipline = analysis.discipline
    rate = f"{discipline.unit}/s"
    ratios = {one.item.label: str(one.ratio or words.NONE) for one in found.rows}
    ratios |= {found.reference: "1 (reference)"} if found.reference else {}
    rows = {
        one.item.label: {
            rate: words.number(one.throughput.median),
            "ratio [95 %]": ratios[one.item.label],
            **_by_row(one.rows_per_second, one.cpu_us_per_row),
            **_times(one.percentiles),
        }
        for one in found.rows
    }
    said = (
        f"Over {found.tasks}. Ratio of {rate} to {found.reference or 'no one'}. The mean of a "
        "percentile is of no distribution that anybody saw."
    )
    heading = f"## Geometric mean, {escape(words.load_text(found.load, discipline.unit))}"
    return f"{heading}\n\n{escape(said)}\n\n{_known(discipline.contender, rows)}"


def _comparison(analysis: Analysis, comparison: Comparison) -> str:
    discipline = comparison.discipline
    rows = [
        [
            words.rank(comparison, item),
            item.label,
            words.rate(item),
            words.ratio(comparison, item) if item.throughput else f"{item.state}: {item.reason}",
            words.number(item.cpu_us.get(comparison.party)),
            words.full(comparison, item),
            words.counted(item),
        ]
        for item in comparison.results
    ]
    cost = f"CPU µs/{words.one(discipline.unit)}"
    names = [
        "rank",
        discipline.contender,
        f"{discipline.unit}/s",
        "ratio [95 %]",
        cost,
        "full",
        "n",
    ]
    said = f"{sentences.load(analysis, comparison)}. {sentences.said(comparison)}"
    return f"## {escape(comparison.place)}\n\n{escape(said)}\n\n{table(names, rows, left=(1,))}"


def _more(analysis: Analysis, comparison: Comparison, watched: WatchedComparison | None) -> str:
    """What the ranking has no room for: of cells that were watched, of fixed connections. Empty
    where there is neither.
    """
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for side in watched.sides if watched else ():
        rows[side.item.label] |= _timeline(comparison, side)
    for one in timed(analysis, comparison) if comparison.work.load.fixed else ():
        rows[one.item.label] |= _single(comparison, one)
    order = [item.label for item in comparison.results if item.label in rows]
    return _known(comparison.discipline.contender, {label: rows[label] for label in order})


def _timeline(comparison: Comparison, side: UserLoadResult) -> dict[str, str]:
    """What a cell took from its begin to its end."""
    return {
        comparison.discipline.unit: f"{side.by_name[user_loads.ALL].count.median:,.0f}",
        "seconds": words.seconds(side),
        "connections": words.most(side, "connections"),
        "in use": words.most(side, "active"),
        "memory": words.peak(comparison, side.item),
    }


def _single(comparison: Comparison, one: Timed) -> dict[str, str]:
    """Of one unit. Where it is a single row the ranking has what a row costs."""
    several = one.rows is not None and one.rows > 1
    rows = (one.rows_per_second, one.cpu_us_per_row(comparison.party)) if several else (None, None)
    all_units = one.moments
    moments = {
        "min µs": all_units and all_units.least,
        "mean µs": all_units and all_units.mean,
        "max µs": all_units and all_units.most,
        "deviation µs": all_units and all_units.deviation,
    }
    return {
        **_by_row(*rows),
        **{name: words.number(value) for name, value in moments.items()},
        "CV": words.percent(all_units.variation if all_units else None),
        **_times(one.percentiles, PERCENTILES[1:]),
    }


def _by_row(a_second: float | None, cpu_us: float | None) -> dict[str, str]:
    return {"rows/s": words.number(a_second), "CPU µs/row": words.number(cpu_us)}


def _times(found: Mapping[float, float], wanted: Sequence[float] = (50.0, 99.0)) -> dict[str, str]:
    return {f"p{name:g} µs": words.number(found.get(name)) for name in wanted}


def _known(contender: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    """A table, by label and column, of the columns that anybody has a figure in; empty without."""
    had = [(name, text) for row in rows.values() for name, text in row.items()]
    missing = {name for name, _ in had} - {name for name, text in had if text != words.NONE}
    names = [name for name in dict.fromkeys(name for name, _ in had) if name not in missing]
    found = [[label, *(row.get(name, words.NONE) for name in names)] for label, row in rows.items()]
    return table([contender, *names], found, left=(0,)) if names else ""


def _rates(analysis: Analysis) -> list[str]:
    """A table for each fixed rate that several contenders were compared at."""
    parts = []
    for comparison in analysis.comparisons:
        if (
            not comparison.rated
            or sum(item.throughput is not None for item in comparison.results) < 2
        ):
            continue
        rows = [
            [
                item.label,
                words.number(item.cpu_us.get(comparison.party)),
                str(item.cpu_ratio or words.NONE) if item.throughput else f"{item.state}",
                *(words.milliseconds(item.latency_us.get(name)) for name in ("p50", "p99")),
                words.full(comparison, item),
                words.counted(item),
            ]
            for item in comparison.results
        ]
        cost = f"CPU µs/{words.one(comparison.discipline.unit)}"
        names = [
            comparison.discipline.contender,
            cost,
            "CPU ratio [95 %]",
            "p50",
            "p99",
            "full",
            "n",
        ]
        said = f"CPU time against {comparison.reference or 'nobody'}."
        heading = f"## {escape(comparison.place)}, {escape(comparison.load)}\n\n{escape(said)}"
        parts.append(f"{heading}\n\n{table(names, rows, left=(0,))}")
    return parts


def _user_load(group: user_loads.UserLoadGroup) -> str:
    """Contenders under a user load, who did not keep up, every pair in a sentence, the parts."""
    comparison = group.comparison
    rows: list[list[str]] = []
    for side in group.sides:
        whole = side.by_name[user_loads.ALL]
        times = [words.spread(one, words.milliseconds) for one in (whole.p50_us, side.p95_us)]
        last = [
            words.spread(side.lost, words.percent),
            side.saturated or "unknown",
            str(side.cells),
        ]
        rows.append([side.item.label, f"{whole.count.median:,.0f}", *times, *last])
    unit = comparison.discipline.unit
    names = [comparison.discipline.contender, unit, "median", "p95", "failed", "full", "n"]
    late = [sentences.late(side) for side in group.sides if side.late]
    pairs = [sentences.versus(comparison, pair) for pair in group.pairs]
    said = "\n".join(f"- {escape(text)}" for text in (*late, *pairs))
    what = f"{comparison.load}, {words.plural(group.rounds, 'round')}. {CELLS}"
    heading = f"## {escape(group.title)}\n\n{escape(what)}"
    parts = (heading, table(names, rows, left=(0,)), said, _parts(group))
    return "\n\n".join(filter(None, parts))


def _parts(group: user_loads.UserLoadGroup) -> str:
    """By what was asked for: how many went well, and the median of all times."""
    rows = [
        [name, *(_part(side.by_name.get(name)) for side in group.sides)]
        for name in group.names
        if name != user_loads.ALL
    ]
    return table(["", *(side.item.name for side in group.sides)], rows, left=(0,))


def _part(row: user_loads.PartFigures | None) -> str:
    if row is None:
        return words.NONE
    took = words.milliseconds(row.p50_us.median if row.p50_us else None)
    return f"{row.count.median:,.0f} · {took}"


def _choices(analysis: Analysis) -> str:
    """Every pair that differs in one factor alone, and the test of all showing the same."""
    rows = [
        [effect.level, effect.reference, place(analysis.discipline, work), *pair, str(estimate)]
        for work, effect in analysis.effects
        for pair, estimate in zip(effect.pairs, effect.estimates, strict=True)
    ]
    if not rows:
        return ""
    discipline = analysis.discipline
    said = (
        f"{discipline.unit.capitalize()}/s with one choice against the other, everything else "
        "equal. Who was not limited by its own core is in no pair."
    )
    one = discipline.contender
    names = ["choice", "against", discipline.task, one, f"against {one}", "ratio [95 %]"]
    return _folded("What each choice buys", escape(said), table(names, rows, left=range(5)))


def _answers(analysis: Analysis) -> str:
    """What is known of a unit of each task whatever its speed: its bytes, its headers."""
    found = answers(analysis)
    if found is None:
        return ""
    discipline = analysis.discipline
    rows = [
        [
            row.title,
            "all" if row.everyone else ", ".join(item.label for item in row.results),
            *(words.figure(row.facts.get(name), "count") for name in found.names),
        ]
        for row in found.rows
    ]
    facts = [name.replace("_", " ") for name in found.names]
    names = [discipline.task, f"{discipline.contender}s", *facts]
    title = f"What {words.a(words.one(discipline.unit))} is"
    return _folded(title, table(names, rows, left=(0, 1)))


def table(names: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """A table; columns are right-aligned but for those in `left`."""
    rule = [":--" if column in left else "--:" for column in range(len(names))]
    shown = [[escape(text) for text in row] for row in (names, *rows)]
    lines = [shown[0], rule, *shown[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: str) -> str:
    """A code block, with a fence longer than any run of backticks inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    for sign in "\\`*_<>|":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())
