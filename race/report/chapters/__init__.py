"""The chapters of the report: a registry in the order of the page, one file each."""

from __future__ import annotations

from typing import Protocol

from markupsafe import Markup

from race.analysis.model import Analysis
from runtime.plugin import Plugin

CHAPTERS = {
    "legend": Plugin("race.report.chapters.legend:Legend"),
    "glance": Plugin("race.report.chapters.glance:Glance"),
    "tasks": Plugin("race.report.chapters.tasks:Tasks"),
    "pipelining": Plugin("race.report.chapters.pipelining:Pipelining"),
    "user-loads": Plugin("race.report.chapters.user_loads:UserLoads"),
    "shares": Plugin("race.report.chapters.shares:Shares"),
    "distributions": Plugin("race.report.chapters.distributions:Distributions"),
    "latency": Plugin("race.report.chapters.latency:Latency"),
    "effects": Plugin("race.report.chapters.effects:Effects"),
    "claims": Plugin("race.report.claims.chapter:Claims"),
    "validity": Plugin("race.report.chapters.validity:Validity"),
    "meters": Plugin("race.report.chapters.meters:Meters"),
    "machine": Plugin("race.report.chapters.machine:Machine"),
    "method": Plugin("race.report.chapters.method:Method"),
    "cells": Plugin("race.report.chapters.cells:Cells"),
    "repeat": Plugin("race.report.chapters.repeat:Repeat"),
}
"""Name to chapter; the name is its anchor on the page."""

FOLDED = ("meters", "method")
"""Chapters for looking something up: they begin folded."""
UNFOLDED = ("legend", "glance")
"""The only chapters that do not begin folded on a phone."""


class Chapter(Protocol):
    """One chapter. What it says depends on the analysis alone."""

    def title(self, analysis: Analysis) -> str:
        """Return its heading, which is its entry in the navigation, too."""

    def render(self, analysis: Analysis) -> Markup | None:
        """Return what stands below the heading; None where the race has nothing to say on it."""
