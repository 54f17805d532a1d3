"""The time limits of blocks: when they end a block, and when not."""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import Any, List

import pytest

from data_interface.deadline import (
    COUNTED,
    LATE_SECONDS,
    Deadline,
    SharedTimer,
    TimedBlock,
)
from data_interface.store import Busy, NotFound, Unavailable
from data_interface.timeouts import TIMEOUTS
from tests.support.stores.bench import PATIENCE_SECONDS, raises


async def never() -> None:
    await asyncio.get_event_loop().create_future()


async def test_a_block_in_time_is_left_alone() -> None:
    with Deadline(0.05):
        await asyncio.sleep(0)
    await asyncio.sleep(0.1)


async def test_a_block_that_takes_too_long_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(Unavailable), Deadline(0.05):
        await never()
    assert 0.04 < time.monotonic() - began < PATIENCE_SECONDS
    # The task is as before.
    task: Any = asyncio.current_task()
    assert not (COUNTED and task.cancelling())
    await asyncio.sleep(0)


async def test_who_waits_for_others_is_told_so() -> None:
    async def block() -> None:
        with Deadline(0.02) as deadline:
            deadline.queued = True
            await never()

    await raises(Busy, block())


async def test_an_error_of_the_block_stays() -> None:
    with pytest.raises(NotFound), Deadline(0.02):
        raise NotFound("x")


async def test_the_outer_of_two_may_end_first() -> None:
    with pytest.raises(Unavailable), Deadline(0.02), Deadline(10.0) as inner:
        await never()
    assert not inner.expired


async def test_a_cancellation_from_outside_stays_one() -> None:
    async def block() -> None:
        with Deadline(10.0):
            await never()

    task = asyncio.ensure_future(block())
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


@pytest.mark.parametrize("first", ["outside", "limit"])
async def test_a_cancellation_in_the_moment_of_the_limit_stays_one(first: str) -> None:
    if first == "limit" and not COUNTED:
        pytest.skip("before CPython 3.11 a task does not count its cancellations")
    deadlines: List[Any] = []

    async def block() -> None:
        with Deadline(10.0) as deadline:
            deadlines.append(deadline)
            await never()

    task = asyncio.ensure_future(block())
    await asyncio.sleep(0)
    if first == "outside":
        task.cancel()
        deadlines[0]._fired()
    else:
        deadlines[0].expire()
        task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_process_that_was_stopped_reads_its_answer_first() -> None:
    loop = asyncio.get_event_loop()
    answer = loop.create_future()
    with Deadline(0.02):
        # As after SIGCONT: the limit is long over, and the answer is not yet read.
        loop.call_soon(time.sleep, 0.03 + 2 * LATE_SECONDS)
        loop.call_later(0.025, loop.call_later, TIMEOUTS.grace / 4, answer.set_result, 1)
        assert await answer == 1


async def test_a_late_loop_has_no_second_grace() -> None:
    async def block() -> None:
        with Deadline(0.02):
            asyncio.get_event_loop().call_soon(time.sleep, 0.03 + 2 * LATE_SECONDS)
            await never()

    await raises(Unavailable, block())


class Joined(TimedBlock):
    """A block with a shared timer."""

    def __init__(self, timer: SharedTimer) -> None:
        self._timer = timer

    def __enter__(self) -> None:
        self._batch = self._timer.join(self)
        self.begin(self._timer.loop)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._batch.discard(self)
        self.finish(error)


async def test_who_shares_a_timer_has_the_same_time() -> None:
    timer = SharedTimer(0.4)
    took: List[float] = []

    async def block() -> None:
        began = time.monotonic()
        try:
            with Joined(timer):
                await never()
        finally:
            took.append(time.monotonic() - began)

    async def begin(after: float) -> None:
        await asyncio.sleep(after)
        await raises(Unavailable, block())

    await asyncio.gather(*[begin(place / 70) for place in range(40)])
    assert len(took) == 40
    assert min(took) > 0.4 * 62 / 64 - 0.01
    # On a busy machine some of them may be late.
    assert median(took) < 0.4 * 5


async def test_who_shares_a_timer_in_time_is_left_alone() -> None:
    timer = SharedTimer(0.1)
    for _ in range(8):
        with Joined(timer):
            await asyncio.sleep(0.03)
    # The timer rests, and begins again.
    await asyncio.sleep(0.2)
    assert timer._stopped
    with Joined(timer):
        await asyncio.sleep(0.05)
    with pytest.raises(Unavailable), Joined(timer):
        await never()


async def test_a_shared_timer_of_a_stopped_process_gives_time_to_read() -> None:
    loop = asyncio.get_event_loop()
    answer = loop.create_future()
    with Joined(SharedTimer(0.1)):
        loop.call_soon(time.sleep, 0.1 + 2 * LATE_SECONDS)
        loop.call_later(0.11, loop.call_later, TIMEOUTS.grace / 4, answer.set_result, 1)
        assert await answer == 1


async def test_a_late_shared_timer_has_no_second_grace() -> None:
    async def block() -> None:
        with Joined(SharedTimer(0.1)):
            asyncio.get_event_loop().call_soon(time.sleep, 0.1 + 2 * LATE_SECONDS)
            await never()

    await raises(Unavailable, block())


def test_a_page_is_answered_within_two_seconds() -> None:
    assert TIMEOUTS.page + LATE_SECONDS + TIMEOUTS.grace <= PATIENCE_SECONDS
