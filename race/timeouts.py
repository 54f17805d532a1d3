"""Timeouts of the race; RACE_TIMEOUTS changes them, as in `page=3,server_start=60`."""

from __future__ import annotations

from typing import NamedTuple

from runtime.timeouts import timeouts


class Timeouts(NamedTuple):
    """Timeouts of the race, in seconds."""

    child_end: float = 8.0  # for a child process to end after SIGTERM, and after SIGKILL
    program: float = 15.0  # for a program to say its version
    results_lock: float = 2.0  # for a harness that was just killed to lose its lock on results
    page: float = 10.0  # for a page to be answered whole, and for a busy server to be free again
    engines: float = 60.0  # for `server.py --list`
    server_start: float = 30.0  # until a server says where it serves
    server_exit: float = 1.0  # from the end of a server's output to its own
    database: float = 5.0  # for a database to answer a question of the harness
    application_database: float = 180.0  # for one of an application to start, be copied, or end
    wire: float = 90.0  # to start a server and count its requests on the wire
    link_start: float = 10.0  # until a link says where it listens
    link_connect: float = 5.0  # for a link to connect to its target
    generator_end: float = 15.0  # for a load generator to end after its time
    host_connect: float = 10.0  # until ssh has connected to another machine
    host: float = 20.0  # for another machine to answer
    host_database: float = 90.0  # for a database there to start
    host_end: float = 18.0  # for its agent to end what it started, and itself
    git: float = 600.0  # for a command of git, such as the checkout of a large repository
    probe: float = 2.0  # for an application's server to say whether it is ready
    shape: float = 20.0  # for a load shape to say its users
    sockets: float = 2.0  # for the kernel's list of Unix sockets (ss)
    locust_page: float = 30.0  # until Locust's web page answers
    locust_answer: float = 2.0  # for one answer of that page
    locust_workers: float = 60.0  # for a master to wait for its workers
    locust_end: float = 25.0  # for Locust to end in order, with its reports
    locust_race_end: float = 5.0  # the same in a race, which has no workers


TIMEOUTS = timeouts(Timeouts, "RACE_TIMEOUTS")
