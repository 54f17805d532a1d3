"""The runs of one Locust process, from Locust's events to the reports and the exit status."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gevent
from locust import events, log
from locust.runners import STATE_RUNNING, STATE_SPAWNING, WORKER_REPORT_INTERVAL, MasterRunner

from locustfiles.run import record, reports
from locustfiles.run.choice import mistake, obstacle, refuse, say
from locustfiles.run.guard import LOOK_SECONDS, Guard
from locustfiles.run.planned import load_of
from locustfiles.run.reach import problem
from locustfiles.run.record import Run
from locustfiles.run.samples import Samples
from locustfiles.run.tab import Tab
from locustfiles.run.verdict import Limits, Verdict, exit_status
from locustfiles.shapes.values import WrongField

FAILED = 1
WRONG_USE = 2
UNDER_WAY = (STATE_SPAWNING, STATE_RUNNING)


class Session:
    """Of a master, or of a Locust without workers."""

    def __init__(self, environment: Any) -> None:
        """Take the command line; a mistake there ends the program."""
        self.environment = environment
        self.run: Run | None = None
        self._options = options = environment.parsed_options
        self._limits = limits_of(options)
        self._samples = Samples(options.samples)
        self._verdicts: list[Verdict] = []
        self._unwritten = False
        self._guard: Guard | None = None
        self._follower = gevent.Greenlet()
        choose_shape(environment)
        offer_users(environment)
        self._reports = folder_of(options)
        events.test_start.add_listener(self._start)
        events.test_stopping.add_listener(self._stopping)
        events.test_stop.add_listener(self._stop)
        if environment.web_ui:
            Tab(environment.web_ui, self)

    def hear_sigterm(self) -> None:
        """While a shape runs without a page, SIGTERM ends it as Ctrl-C does. Locust hears it only
        after the shape is over; until then it would end the program without a report.
        """
        main, hub = gevent.getcurrent(), gevent.get_hub()

        def hear() -> None:
            heard.cancel()
            if self.run is None:
                # Nothing began: Locust would show where it was.
                hub.loop.run_callback(main.throw, SystemExit(128 + signal.SIGTERM))
            elif not self.run.ended:
                # Not where the signal happened to come, which may be a user's greenlet.
                hub.loop.run_callback(main.throw, KeyboardInterrupt)

        heard = gevent.signal_handler(signal.SIGTERM, hear)

    def obstacle(self, shape: str, form: Mapping[str, str]) -> str | None:
        """Why a run that the web page asks for cannot begin; None where it can."""
        runner = self.environment.runner
        if isinstance(runner, MasterRunner) and runner.worker_count < self._options.expect_workers:
            return f"{runner.worker_count} of {self._options.expect_workers} workers are there"
        return obstacle(shape, {**vars(self._options), "host": self.environment.host, **form})

    def _start(self, environment: Any, **_: Any) -> None:
        self.run = run = record.begun(environment, self._samples)
        self._verdicts.append(run.verdict)
        self._follower = gevent.spawn(run.timeline.follow, gevent.sleep)
        say(f"{run.shape} begins: {', '.join(run.users)}")
        if isinstance(environment.runner, MasterRunner):
            self._guard = guard = Guard(environment.runner.clients, gevent.sleep)
            events.heartbeat_sent.add_listener(guard.heard)
            events.worker_connect.add_listener(guard.joined)
            gevent.spawn(self._watch, run, guard)

    def _watch(self, run: Run, guard: Guard) -> None:
        """Look after the workers while the run goes on: without one of them, it ends."""
        lost: set[str] = set()
        while self._guard is guard and not lost:
            gevent.sleep(LOOK_SECONDS)
            lost = guard.lost() if self._guard is guard else set()
        if lost:
            invalidate(run, guard.sentence(lost))
            self.environment.runner.stop()

    def _stopping(self, **_: Any) -> None:
        """A run is about to end: the last look at its workers, who leave from here on."""
        run, guard, self._guard = self.run, self._guard, None
        if run is None or run.ended:
            return
        if guard is not None:
            lost = guard.roll_call()
            events.heartbeat_sent.remove_listener(guard.heard)
            events.worker_connect.remove_listener(guard.joined)
            if lost:
                invalidate(run, guard.sentence(lost))
        run.end()
        self._follower.kill(block=False)

    def _stop(self, environment: Any, **_: Any) -> None:
        run = self.run
        if run is None or run.reported:
            return
        run.reported = True
        # Of workers the last figures come a little later.
        run.final = not isinstance(environment.runner, MasterRunner)
        # First: what is said of the run is found as it is written.
        where = self._write(run)
        for line in [*run.lines(), f"reports: {where}"]:
            say(line)
        if not run.final:
            gevent.spawn_later(WORKER_REPORT_INTERVAL + 1, self._finish, run)
            if self._options.headless and not run.verdict.valid:
                gevent.spawn(environment.runner.quit)

    def _finish(self, run: Run) -> None:
        """Write the reports of the last run once more, where more may have come."""
        if run is self.run and not run.final:
            run.final = True
            self._write(run)

    def _write(self, run: Run) -> str:
        """Where the reports are, or why there are none: what was there before stays."""
        record.conclude(run, self.environment)
        run.verdict.passed = self._limits.passed(load_of(self.environment))
        try:
            return str(reports.write(run, self.environment, self._reports))
        except OSError as error:
            self._unwritten = True
            return f"none, cannot write in {self._reports}: {error.strerror}"

    def quitting(self) -> None:
        """The program ends: a run under way too, then the last figures and the exit status."""
        runner = self.environment.runner
        if runner.state in UNDER_WAY:
            runner.stop()
        if self.run is not None:
            self._stop(self.environment)
            self._finish(self.run)
        broken = bool(runner.exceptions) or log.unhandled_greenlet_exception
        status = exit_status(self._verdicts, self._limits, broken)
        self.environment.process_exit_code = status or (FAILED if self._unwritten else status)


def hear_sigint() -> None:
    """Ctrl-C ends the program where it waits for its end. By itself it would be raised where it
    happens to come, which may be a user's greenlet: that one would die with a traceback.
    """
    main, loop = gevent.getcurrent(), gevent.get_hub().loop

    def hear(*_: Any) -> None:
        loop.run_callback_threadsafe(main.throw, KeyboardInterrupt)

    # Who runs this in the background may have had it ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, hear)


def choose_shape(environment: Any) -> None:
    """The shape of the command line, or none: Locust by itself takes the first that it finds."""
    options = environment.parsed_options
    wrong = mistake(options.shape, vars(options))
    if wrong:
        refuse(wrong, WRONG_USE)
    shape = (environment.available_shape_classes or {}).get(options.shape)
    environment.shape_class = shape
    if shape:
        shape.runner = environment.runner
    # The page has a field for it.
    needed = options.headless or options.autostart or environment.host
    away = problem(environment.host or "") if needed else None
    if away:
        refuse(away, FAILED)


def offer_users(environment: Any) -> None:
    """On the page those of the command line; Locust offers all, and has all of them chosen."""
    chosen = environment.parsed_options.user_classes
    if chosen:
        every = environment.available_user_classes
        environment.available_user_classes = {name: every[name] for name in chosen}


def limits_of(options: Any) -> Limits:
    """The limits of the command line."""
    try:
        return Limits.parse(options.fail_p95, options.fail_ratio)
    except WrongField as error:
        refuse(str(error), WRONG_USE)


def folder_of(options: Any) -> Path:
    """Where the reports go: made now, since it is too late after a run."""
    path = Path(options.reports)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(f"--reports {path}: {error.strerror}", WRONG_USE)
    return path


def invalidate(run: Run, reason: str) -> None:
    """Note, and say at once, why a run's figures are those of another load."""
    if run.verdict.reasons != [reason]:
        run.verdict.reasons[:] = [reason]
        say(str(run.verdict))
