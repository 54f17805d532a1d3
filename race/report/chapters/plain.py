"""Chapters that are one template each, filled from the analysis and from tables."""

from __future__ import annotations

import math
import shlex

from race.analysis.model import Analysis
from race.report.charts.colours import palette
from race.report.legend import legend as entries
from race.report.sentences import strongest
from race.report.tables import more
from race.report.tables.cells import cells as every_cell
from race.report.tables.pair import pair
from race.report.tables.ranking import about_glance
from race.report.tables.ranking import glance as ranks
from race.report.template import ReportChapter, chapter
from race.report.versions import facts, interpreters, programs
from race.stats import signed_rank
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import MOST, STRETCH


def glance(analysis: Analysis) -> ReportChapter | None:
    """Return a matrix of every contender's rank and multiple of the baseline at every task."""
    if not analysis.closed():
        return None
    return chapter(
        "At a glance",
        "glance",
        analysis,
        table=ranks(analysis),
        both=pair(analysis),
        text=about_glance(analysis),
        marked=strongest(analysis) is not None,
    )


def legend(analysis: Analysis) -> ReportChapter | None:
    """Return what tasks, names, figures and signs of the report mean, in a line each."""
    groups = entries(analysis)
    return chapter("How to read this", "legend", analysis, groups=groups) if groups else None


def meters(analysis: Analysis) -> ReportChapter | None:
    """Return a table of the meters that no other chapter shows, for each comparison."""
    tables = [table for one in analysis.comparisons if (table := more.meters(analysis, one))]
    return chapter("Meters", "meters", analysis, tables=tables) if tables else None


def machine(analysis: Analysis) -> ReportChapter | None:
    """Return hardware, programs, facts of contenders, and interpreters with their packages."""
    return chapter(
        "Machine",
        "machine",
        analysis,
        machine=analysis.race.head.environment,
        programs=programs(analysis),
        interpreters=interpreters(analysis),
        facts=facts(analysis),
    )


def method(analysis: Analysis) -> ReportChapter | None:
    """Return the rules by which the report was made, with the limits of its race: what
    docs/method.md says at length, for a file that stands alone.
    """
    return chapter(
        "Method",
        "method",
        analysis,
        least=100 * math.expm1(LEAST_MARGIN),
        stretch=STRETCH,
        most=100 * math.expm1(MOST),
        rounds_needed=signed_rank.rounds_needed(),
        rated=any(one.rated for one in analysis.comparisons),
    )


def cells(analysis: Analysis) -> ReportChapter | None:
    """Return one row for each cell, to sort and to filter, with words to filter by."""
    discipline, hues = analysis.discipline, palette(analysis).hues
    task = next(filter(None, [discipline.headline, *discipline.tasks]), "")
    example = " ".join(filter(None, (task, *hues[1:2])))
    return chapter("Every cell", "cells", analysis, table=every_cell(analysis), example=example)


def repeat(analysis: Analysis) -> ReportChapter | None:
    """Return the command that runs the race again, and the commit."""
    return chapter("Repeat it", "repeat", analysis, command=shlex.join(analysis.race.head.command))
