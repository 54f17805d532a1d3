"""The limits of a client's connection, with a clock of the test's own."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from handlers.timeouts import TIMEOUTS
from handlers.web.client_timeouts import LONGEST_STEP, MOST_UNANSWERED, ClientTimeouts

# The kernel counts in milliseconds, and their order says what came first.
MOMENT = 0.02


class Connection:
    """Both ends of one connection, and the checks of it."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.now = 1000.0
        self._timeouts = ClientTimeouts(self._listening, lambda: self.now)
        self.client = socket.create_connection(self._listening.getsockname())
        self.server, _ = self._listening.accept()
        self.client.settimeout(5.0)
        self.server.settimeout(5.0)

    def wait(self, seconds: float, drip: bytes = b"") -> bool:
        """Check once a second, each time after a byte; return whether it was shut down."""
        for _ in range(int(seconds / TIMEOUTS.check)):
            if drip:
                self.ask(drip)
            self.now += TIMEOUTS.check
            if self._timeouts.check():
                assert self.server.recv(1) == b""
                return True
        return False

    def ask(self, data: bytes) -> None:
        """Send to the server, and read it there."""
        self.client.sendall(data)
        while data:
            data = data[len(self.server.recv(len(data))) :]

    def answer(self, data: bytes = b"answer") -> None:
        """Send to the client, and read it there."""
        time.sleep(MOMENT)
        self.server.sendall(data)
        while data:
            data = data[len(self.client.recv(len(data))) :]
        # Without this the kernel acknowledges 40 ms later, and a simulated minute takes less.
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        time.sleep(MOMENT)

    def check_late(self, seconds: float) -> int:
        """Check so much later than the last time."""
        self.now += seconds
        return self._timeouts.check()

    def close(self) -> None:
        for one in (self.client, self.server, self._listening):
            one.close()


@pytest.fixture
def line() -> Iterator[Connection]:
    found = Connection()
    yield found
    found.close()


def test_a_silent_client_has_the_time_of_a_request(line: Connection) -> None:
    assert not line.wait(TIMEOUTS.request)
    assert line.wait(2 * TIMEOUTS.check)


def test_a_dripping_client_has_no_more(line: Connection) -> None:
    assert not line.wait(TIMEOUTS.request, b"x")
    assert line.wait(2 * TIMEOUTS.check, b"x")


def test_a_client_that_was_answered_may_be_idle_for_longer(line: Connection) -> None:
    for _ in range(2):
        line.ask(b"GET / HTTP/1.1\r\n\r\n")
        line.answer()
        assert not line.wait(TIMEOUTS.idle)
    assert line.wait(2 * TIMEOUTS.check)


def test_half_a_request_after_an_answer_has_the_time_of_a_request(line: Connection) -> None:
    line.ask(b"GET / HTTP/1.1\r\n\r\n")
    line.answer()
    line.ask(b"GE")
    assert not line.wait(TIMEOUTS.request)
    assert line.wait(2 * TIMEOUTS.check)


def test_half_a_request_after_a_pause_has_the_time_of_a_request(line: Connection) -> None:
    line.ask(b"GET / HTTP/1.1\r\n\r\n")
    line.answer()
    assert not line.wait(TIMEOUTS.idle - 2 * TIMEOUTS.check)
    line.ask(b"GE")
    assert not line.wait(TIMEOUTS.request)
    assert line.wait(2 * TIMEOUTS.check)


def test_a_client_that_sends_too_much_is_shut_down(line: Connection) -> None:
    line.ask(b"x" * (MOST_UNANSWERED - 1))
    assert not line.wait(TIMEOUTS.check)
    line.ask(b"xx")
    assert line.wait(TIMEOUTS.check)


def test_much_that_is_answered_is_not_too_much(line: Connection) -> None:
    for _ in range(5):
        line.ask(b"x" * (MOST_UNANSWERED - 1))
        line.answer()
        assert not line.wait(TIMEOUTS.check)


def test_a_process_that_was_held_up_blames_no_client(line: Connection) -> None:
    assert not line.wait(TIMEOUTS.check)
    assert line.check_late(10 * TIMEOUTS.idle) == 0
    assert not line.wait(TIMEOUTS.request - LONGEST_STEP - TIMEOUTS.check)
    assert line.wait(3 * TIMEOUTS.check)


def test_only_clients_are_checked(line: Connection) -> None:
    """Neither a connection to somewhere else nor another socket."""
    other = Connection()
    pair = socket.socketpair()
    try:
        assert line.wait(TIMEOUTS.request + 2 * TIMEOUTS.check)
        other.ask(b"x")
        other.answer(b"y")
        pair[0].sendall(b"x")
        assert pair[1].recv(1) == b"x"
    finally:
        other.close()
        for one in pair:
            one.close()
