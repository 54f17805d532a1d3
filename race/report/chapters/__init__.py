"""The chapters of the report: a registry in the order of the page."""

from __future__ import annotations

from runtime.plugin import Plugin

CHAPTERS = {
    "glance": Plugin("race.report.chapters.plain:glance"),
    "picture": Plugin("race.report.chapters.picture:render"),
    "legend": Plugin("race.report.chapters.plain:legend"),
    "tasks": Plugin("race.report.chapters.tasks:render"),
    "pipelining": Plugin("race.report.chapters.pipelining:render"),
    "workers": Plugin("race.report.chapters.workers:render"),
    "user-loads": Plugin("race.report.chapters.user_loads:render"),
    "shares": Plugin("race.report.chapters.shares:render"),
    "distributions": Plugin("race.report.chapters.distributions:render"),
    "latency": Plugin("race.report.chapters.latency:render"),
    "effects": Plugin("race.report.chapters.effects:render"),
    "why": Plugin("race.why.chapter:render"),
    "claims": Plugin("race.report.claims.chapter:render"),
    "validity": Plugin("race.report.chapters.validity:render"),
    "meters": Plugin("race.report.chapters.plain:meters"),
    "machine": Plugin("race.report.chapters.plain:machine"),
    "hosts": Plugin("race.report.chapters.hosts:render"),
    "method": Plugin("race.report.chapters.plain:method"),
    "cells": Plugin("race.report.chapters.plain:cells"),
    "repeat": Plugin("race.report.chapters.plain:repeat"),
}
"""Name, which is the anchor on the page, to a function from an analysis to a chapter.

The function returns None where the race has nothing to say on the subject.
"""

FOLDED = ("legend", "shares", "distributions", "meters", "method", "cells")
"""Chapters for looking something up: they begin folded."""
UNFOLDED = ("glance",)
"""The only chapters that do not begin folded on a phone."""
