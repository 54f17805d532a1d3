"""The sockets of a server: one, one for each worker, or none of ours."""

from __future__ import annotations

import socket

import pytest

from handlers.web.listen import Listen


def test_a_free_port_becomes_a_real_one_and_a_taken_one_is_refused() -> None:
    listen = Listen("127.0.0.1", 0)
    try:
        assert listen.url == f"http://127.0.0.1:{listen.port}"
        with pytest.raises(OSError, match="in use"):
            Listen("127.0.0.1", listen.port)
    finally:
        listen.close()


def test_each_worker_has_a_socket_on_the_one_port() -> None:
    listen = Listen("127.0.0.1", 0)
    try:
        sockets = listen.spread(3)
        assert {sock.getsockname()[1] for sock in sockets} == {listen.port}
        assert listen.keep(1) is sockets[1]
        assert sockets[0].fileno() == -1
    finally:
        listen.close()


def test_a_server_that_binds_for_itself_gets_the_address() -> None:
    host, port = Listen("127.0.0.1", 0).hand_over()
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.bind((host, port))
        own.listen()
