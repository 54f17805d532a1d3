"""Several runs of one scenario as one result: for a terminal, and as Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from race.analysis.merge import Merged, MergedComparison, MergedPair
from race.analysis.values import title
from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.claims.measures import UNRANKED, verdict
from race.report.console import drawn, say
from race.report.table import PLAIN, TEXT, Column, ReportTable, fill
from race.stats.estimate import Estimate
from race.stats.random_effects import FEWEST, new_run
from race.stats.verdict import Verdict

HEADINGS = ("ratio", "CPU ratio", "verdict")
INDENT = "  "
WINS = {
    False: "Two runs: different where both say so.",
    True: "Different where this interval lies beyond the margin. In 95 of 100 cases one more run "
    "would lie in the interval of “a new run”.",
}
PROBABLY = "“Probably” is undecided: the interval excludes 1, and not the margin."


def headline(found: Merged) -> str:
    """Return how many pairs have each verdict, in one sentence."""
    pairs = [pair for comparison in found.comparisons for pair in comparison.pairs if pair.ratio]
    counts = Counter(pair.verdict for pair in pairs)
    verdicts = ", ".join(f"{counts[one]:,} {one}" for one in Verdict)
    return (
        f"{words.plural(len(found.runs), 'run')}: of {words.plural(len(pairs), 'pair')} {verdicts}"
    )


def rule(found: Merged) -> str:
    """Return the kind of the interval, and when there is a winner."""
    return (
        f"Ratios are of {found.discipline.unit}/s and of CPU time to the reference. The interval "
        f"between runs is {found.interval}. {WINS[len(found.runs) >= FEWEST]} {PROBABLY}"
    )


def heading(found: Merged, comparison: MergedComparison) -> str:
    """Return the task and its load."""
    task = title(found.discipline, comparison.work.task)
    return f"{task}, {comparison.comparisons[0].load}"


def noise(comparison: MergedComparison) -> str:
    """Return the margin, and how the A/A twin's ratio spreads over runs."""
    if not comparison.work.load.closed:
        return ""
    margin = f"{comparison.margin_percent:.1f} %" if math.isfinite(comparison.margin) else "unknown"
    limit = f"Margin {margin}."
    if comparison.noise is None:
        return f"{limit} No A/A twin ran here."
    return (
        f"{limit} A/A from {comparison.noise.low:.3f}× to {comparison.noise.high:.3f}× over runs."
    )


def rows(found: Merged, comparison: MergedComparison) -> Iterator[list[str]]:
    """Yield every contender against the reference, best first, and each run's own figures."""
    for label in comparison.labels:
        pair = comparison.pair(label, comparison.reference or "")
        if pair is None:
            mark = "1 (reference)" if label == comparison.reference else words.NONE
            yield [label, mark, words.NONE, words.NONE]
            continue
        yield [label, _text(pair.ratio), _text(pair.cpu), _outcome(comparison, pair)]
        for number, (ratio, cpu) in enumerate(zip(pair.ratios, pair.cpus, strict=True), start=1):
            if ratio or cpu:
                yield [f"{INDENT}run {number}", _text(ratio), _text(cpu), ""]
        if len(found.runs) >= FEWEST and (pair.ratio or pair.cpu):
            yield [f"{INDENT}a new run", _expected(pair.ratio), _expected(pair.cpu), ""]


def _outcome(comparison: MergedComparison, pair: MergedPair) -> str:
    """Return the verdict in a word that fits a table."""
    if not comparison.work.load.closed:
        return words.NONE
    states = {
        item.state
        for one in comparison.comparisons
        for item in one.results
        if item.label in (pair.first, pair.second)
    }
    if pair.ratio is None and _beats(comparison, pair.first, pair.second):
        return words.AT_LEAST
    if pair.ratio is None and _beats(comparison, pair.second, pair.first):
        return "slower"
    if pair.ratio is None and not (pair.cpu and "at-least" in states):
        return UNRANKED
    return verdict(pair).removeprefix(f"{Verdict.UNDECIDED}, ")


def _beats(comparison: MergedComparison, first: str, second: str) -> bool:
    """Return whether one beats another in every run, be it by a lower bound."""
    found = [one.result(first) for one in comparison.comparisons]
    return all(item is not None and second in item.beats for item in found)


def _text(estimate: Estimate | None) -> str:
    return str(estimate) if estimate else words.NONE


def _expected(estimate: Estimate | None) -> str:
    """Return where one more run would lie, without the ratio, which is that of all runs."""
    return _text(estimate and new_run(estimate)).partition(" ")[2] or words.NONE


def show(found: Merged) -> None:
    """Print it to the terminal, within 80 columns."""
    console = Console()
    say(console, headline(found), style="bold")
    for number, name in enumerate(found.runs, start=1):
        say(console, f"run {number}: {name}")
    for comparison in found.comparisons:
        console.print(
            drawn(_table(found, comparison), heading(found, comparison), noise(comparison))
        )
    say(console, rule(found))
    for line in found.warnings:
        say(console, f"! {line}")


def _table(found: Merged, comparison: MergedComparison) -> ReportTable:
    columns = [
        Column(found.discipline.contender, itemgetter(0), TEXT),
        *(Column(name, itemgetter(at), PLAIN) for at, name in enumerate(HEADINGS, 1)),
    ]
    return fill("", columns, rows(found, comparison))


def markdown(found: Merged) -> str:
    """Return headline, rule, warnings, the runs, and a table for each work as Markdown."""
    runs = [f"{number}. {marked.escape(name)}" for number, name in enumerate(found.runs, start=1)]
    parts = [f"# {marked.escape(headline(found))}", marked.escape(rule(found)), "\n".join(runs)]
    parts += [f"> {marked.escape(line)}" for line in found.warnings]
    for comparison in found.comparisons:
        table = marked.table(_table(found, comparison))
        title = marked.escape(heading(found, comparison))
        parts.append(f"## {title}\n\n{noise(comparison)}\n\n{table}")
    return "\n\n".join(parts) + "\n"
