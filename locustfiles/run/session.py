"""The runs of one Locust process, from Locust's events to the reports and the exit status."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gevent
from locust import events, log
from locust.runners import STATE_RUNNING, STATE_SPAWNING, WORKER_REPORT_INTERVAL, MasterRunner

from locustfiles.run import record, reports
from locustfiles.run.choice import mistake, obstacle, path_of, refuse, say
from locustfiles.run.planned import totals_of
from locustfiles.run.record import LocustRun
from locustfiles.run.samples import Samples
from locustfiles.run.site import problem
from locustfiles.run.verdict import FailureLimits, RunVerdict, exit_status
from locustfiles.run.web_page import WebPage
from locustfiles.run.worker_guard import WorkerGuard
from locustfiles.shapes.values import WrongField
from locustfiles.timeouts import TIMEOUTS

FAILED = 1
PATHS = "Paths"
WRONG_USE = 2
UNDER_WAY = (STATE_SPAWNING, STATE_RUNNING)


class LocustSession:
    """The runs of a master, or of a Locust without workers."""

    def __init__(self, environment: Any) -> None:
        """Check the command line; a mistake in it ends the program."""
        self.environment = environment
        self.run: LocustRun | None = None
        self._options = options = environment.parsed_options
        self._limits = limits_of(options)
        self._samples = Samples(options.samples)
        self._verdicts: list[RunVerdict] = []
        self._unwritten = False
        self._guard: WorkerGuard | None = None
        self._followers: list[gevent.Greenlet] = []
        offer_users(environment)
        choose_shape(environment)
        self._reports = folder_of(options)
        events.test_start.add_listener(self._start)
        events.test_stopping.add_listener(self._stopping)
        events.test_stop.add_listener(self._stop)
        if environment.web_ui:
            WebPage(environment.web_ui, self)

    def obstacle(self, shape: str, form: Mapping[str, str]) -> str | None:
        """Return why a run that the web page asks for cannot begin; None if it can."""
        runner = self.environment.runner
        if isinstance(runner, MasterRunner) and runner.worker_count < self._options.expect_workers:
            return f"{runner.worker_count} of {self._options.expect_workers} workers are there"
        own = {"path": self._options.path}
        host = {"host": self.environment.host}
        return obstacle(shape, {**vars(self._options), **host, **form, **own})

    def _start(self, environment: Any, **_: Any) -> None:
        self.run = run = record.begun(environment, self._samples)
        self._verdicts.append(run.verdict)
        self._followers = [gevent.spawn(run.timeline.follow, gevent.sleep)]
        if self._options.headless:
            self._followers.append(gevent.spawn(self._show_progress, run))
        say(record.beginning(run, environment))
        if isinstance(environment.runner, MasterRunner):
            self._guard = guard = WorkerGuard(environment.runner.clients, gevent.sleep)
            events.heartbeat_sent.add_listener(guard.note_heartbeat)
            events.worker_connect.add_listener(guard.add)
            gevent.spawn(self._watch_workers, run, guard)

    def _show_progress(self, run: LocustRun) -> None:
        """Print a line from time to time, until the greenlet is killed."""
        while True:
            gevent.sleep(TIMEOUTS.progress)
            if line := run.timeline.progress():
                say(line)

    def _watch_workers(self, run: LocustRun, guard: WorkerGuard) -> None:
        """End the run when it loses a worker."""
        lost: set[str] = set()
        while self._guard is guard and not lost:
            gevent.sleep(TIMEOUTS.workers)
            lost = guard.lost() if self._guard is guard else set()
        if lost:
            invalidate(run, guard.reason(lost))
            self.environment.runner.stop()

    def _stopping(self, **_: Any) -> None:
        """Check the workers a last time, before they leave, and close the run."""
        run, guard, self._guard = self.run, self._guard, None
        if run is None or run.ended:
            return
        if guard is not None:
            lost = guard.lost_at_the_end()
            events.heartbeat_sent.remove_listener(guard.note_heartbeat)
            events.worker_connect.remove_listener(guard.add)
            if lost:
                invalidate(run, guard.reason(lost))
        run.end()
        gevent.killall(self._followers, block=False)

    def _stop(self, environment: Any, **_: Any) -> None:
        run = self.run
        if run is None or run.reported:
            return
        run.reported = True
        # The last figures of workers come a little later.
        run.final = not isinstance(environment.runner, MasterRunner)
        # Writing finds what is said of the run, so it comes first.
        where = self._write(run)
        for line in [*run.lines(), f"reports: {where}"]:
            say(line)
        if not run.final:
            gevent.spawn_later(WORKER_REPORT_INTERVAL + 1, self._finish, run)
            if self._options.headless and not run.verdict.valid:
                gevent.spawn(environment.runner.quit)

    def _finish(self, run: LocustRun) -> None:
        """Write the reports of the last run once more, as more figures may have come."""
        if run is self.run and not run.final:
            run.final = True
            self._write(run)

    def _write(self, run: LocustRun) -> str:
        """Return where the reports are, or why there are none; older reports stay."""
        record.conclude(run, self.environment)
        run.verdict.passed = self._limits.passed(totals_of(self.environment))
        try:
            return str(reports.write(run, self.environment, self._reports))
        except OSError as error:
            self._unwritten = True
            return f"none, cannot write in {self._reports}: {error.strerror}"

    def quitting(self) -> None:
        """End a run under way, write the last figures and set the exit status."""
        runner = self.environment.runner
        if runner.state in UNDER_WAY:
            runner.stop()
        if self.run is not None:
            self._stop(self.environment)
            self._finish(self.run)
        broken = bool(runner.exceptions) or log.unhandled_greenlet_exception
        status = exit_status(self._verdicts, self._limits, broken)
        self.environment.process_exit_code = status or (FAILED if self._unwritten else status)


def choose_shape(environment: Any) -> None:
    """Take the shape of the command line, or none: Locust itself takes the first that it finds."""
    options = environment.parsed_options
    wrong = mistake(options.shape, vars(options))
    if wrong:
        refuse(wrong, WRONG_USE)
    shape = (environment.available_shape_classes or {}).get(options.shape)
    environment.shape_class = shape
    if shape:
        shape.runner = environment.runner
    # Without a host the page asks for one.
    needed = options.headless or options.autostart or environment.host
    path = path_of(vars(options))
    if path and not environment.host:
        refuse("--path needs the application's --host, as in http://127.0.0.1:8000", WRONG_USE)
    away = problem(environment.host or "", path) if needed else None
    if away:
        refuse(away, FAILED)


def offer_users(environment: Any) -> None:
    """Offer the users of the command line on the page, where Locust offers and chooses all. `Paths`
    alone knows other applications than the site, and nothing without paths.
    """
    options, every = environment.parsed_options, environment.available_user_classes
    chosen = options.user_classes or [
        name for name in every if (name == PATHS) == bool(options.path)
    ]
    if options.path and chosen != [PATHS]:
        refuse(f"--path is for the user {PATHS} alone", WRONG_USE)
    if PATHS in chosen and not options.path:
        refuse(f"{PATHS} needs --path, as in --path /items", WRONG_USE)
    environment.available_user_classes = {name: every[name] for name in chosen}
    environment.user_classes = list(environment.available_user_classes.values())


def limits_of(options: Any) -> FailureLimits:
    """Return the limits of the command line."""
    try:
        return FailureLimits.parse(options.fail_p95, options.fail_ratio)
    except WrongField as error:
        refuse(str(error), WRONG_USE)


def folder_of(options: Any) -> Path:
    """Make the folder of the reports now, as after a run it would be too late to refuse."""
    path = Path(options.reports)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(f"--reports {path}: {error.strerror}", WRONG_USE)
    return path


def invalidate(run: LocustRun, reason: str) -> None:
    """Note, and say at once, why the figures of a run are those of another load."""
    if run.verdict.reasons != [reason]:
        run.verdict.reasons[:] = [reason]
        say(str(run.verdict))
