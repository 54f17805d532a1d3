"""Requests that are none: listed ones, and as many as asked for from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice

from chaos.clients import STATUS, port_of, raw, well
from chaos.lab import Fault, Lab, bare
from chaos.seen import NotHere, Seen
from race.machine.proc import tree
from race.web.servers import Server

INPUTS = 400
SHORT = 60
AT_ONCE = 8
BATCH = 40
ANSWER_SECONDS = 1.5
# Not implemented, and a version that is not spoken: what a server may say of a request.
MAY_SAY = {501, 505}
WELL_SECONDS = 5.0
LONGEST = 1 << 20

HOST = b"Host: x\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
VOTE = b"vote_plus=" + b"0" * 32 + b"&vote_minus=" + b"1" * 32
RIGHT = (
    b"GET / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /good HTTP/1.1\r\n" + HOST + b"Cookie: session=" + b"ab" * 16 + b"\r\n\r\n",
    b"HEAD /about HTTP/1.1\r\n" + HOST + b"User-Agent: a\r\nAccept: */*\r\n\r\n",
    b"POST / HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: %d\r\n\r\n" % len(VOTE) + VOTE,
    b"POST / HTTP/1.1\r\n"
    + HOST
    + FORM
    + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(VOTE), VOTE),
    b"PUT /stickers/1/1 HTTP/1.1\r\n" + HOST + b"Authorization: Bearer a\r\nContent-Length: 2\r\n"
    b"Content-Type: application/json\r\n\r\n{}",
    b"GET /stickers/1?a=b&c=%20 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
)
"""Requests as they should be, for the dice to spoil."""
LISTED = {
    "nothing": b"",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    "NULs": b"\0" * 4096 + b"\r\n\r\n",
    "line ends alone": b"\r\n" * 20_000,
    "a method of 64 KB": b"A" * 65_536 + b" / HTTP/1.1\r\n\r\n",
    "10,000 headers": b"GET / HTTP/1.1\r\n" + b"A: a\r\n" * 10_000 + b"\r\n",
    "1,000 hosts": b"GET / HTTP/1.1\r\n" + HOST * 1000 + b"\r\n",
    "1,000 cookies": b"GET / HTTP/1.1\r\nCookie: " + b"session=a; " * 1000 + b"\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\nabc",
    "no number": b"POST / HTTP/1.1\r\nContent-Length: 1_0\r\n\r\nabcdefghij",
    "a negative length": b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "coding and length": b"POST / HTTP/1.1\r\n"
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
    b"0\r\n\r\nGET /ugly HTTP/1.1\r\n\r\n",
    "an endless chunk size": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 4096,
    "a chunk with a long extension": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;"
    + b"a" * 65_536,
    "30,000 fields": b"POST / HTTP/1.1\r\n"
    + FORM
    + b"Content-Length: 60000\r\n\r\n"
    + b"a&" * 30_000,
    "half a character": b"POST / HTTP/1.1\r\n" + FORM + b"Content-Length: 6\r\n\r\n%f0%9f",
}
ODD = (
    *(b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b":", b"%", b"%00", b"%2f..", b"\xff\xfe"),
    *(b"\x7f", b"\xc3", b"{", b"';--", b"Content-Length: 99\r\n", b"Transfer-Encoding: x\r\n"),
)

Spoil = Callable[[random.Random, bytes], bytes]


def flipped(dice: random.Random, text: bytes) -> bytes:
    """A few bytes are others."""
    found = bytearray(text)
    for _ in range(dice.randint(1, 8)):
        found[dice.randrange(len(found))] = dice.randrange(256)
    return bytes(found)


def cut(dice: random.Random, text: bytes) -> bytes:
    """A part is missing."""
    begin, end = sorted(dice.sample(range(len(text) + 1), 2))
    return text[:begin] + text[end:]


def broken_off(dice: random.Random, text: bytes) -> bytes:
    """It ends too early."""
    return text[: dice.randint(1, len(text))]


def stuffed(dice: random.Random, text: bytes) -> bytes:
    """Something odd is in it, once or often."""
    where = dice.randrange(len(text) + 1)
    return text[:where] + dice.choice(ODD) * dice.choice((1, 2, 9, 999)) + text[where:]


def repeated(dice: random.Random, text: bytes) -> bytes:
    """A line is there many times."""
    lines = text.split(b"\r\n")
    at = dice.randrange(len(lines))
    return b"\r\n".join([*lines[:at], *[lines[at]] * dice.choice((2, 40, 2000)), *lines[at:]])


def shuffled(dice: random.Random, text: bytes) -> bytes:
    """The lines are in another order."""
    lines = text.split(b"\r\n")
    dice.shuffle(lines)
    return b"\r\n".join(lines)


def other_ends(dice: random.Random, text: bytes) -> bytes:
    """Lines end in another way."""
    return text.replace(b"\r\n", dice.choice((b"\n", b"\r", b"\n\r", b"\r\r\n", b"\0\n")))


def numbered(dice: random.Random, text: bytes) -> bytes:
    """Every number is another one."""
    number = dice.choice((b"-1", b"0", b"+7", b"1e9", b"0x10", b"8" * 10, b"9" * 99, b"", b" 3 "))
    return b"".join(number if 48 <= byte < 58 else bytes([byte]) for byte in text)


def mixed(dice: random.Random, text: bytes) -> bytes:
    """The beginning of one and the end of another, sent as one."""
    other = dice.choice(RIGHT)
    return text[: dice.randint(1, len(text))] + other[dice.randrange(len(other)) :]


def noise(dice: random.Random, text: bytes) -> bytes:
    """Nothing of it is left."""
    return dice.randbytes(dice.randint(1, 4 * len(text)))


SPOILERS: tuple[Spoil, ...] = (
    flipped,
    cut,
    broken_off,
    stuffed,
    repeated,
    shuffled,
    other_ends,
    numbered,
    mixed,
    noise,
)


def inputs(dice: random.Random) -> Iterator[tuple[str, bytes]]:
    """The listed ones with their names, then without end what the dice make; none comes twice."""
    yield from LISTED.items()
    seen = {*LISTED.values(), *RIGHT}
    number = 0
    while True:
        names, text = [], dice.choice(RIGHT)
        for spoil in dice.choices(SPOILERS, k=dice.choice((1, 1, 2, 3))):
            text = spoil(dice, text)[:LONGEST] or b"\n"
            names.append(spoil.__name__)
        if text not in seen:
            seen.add(text)
            number += 1
            yield f"{number} {' '.join(names)}", text


def run(lab: Lab) -> Iterator[Seen]:
    """Every framework without a database, in a whole run on every loop."""
    for entry in bare(loops=not lab.short):
        try:
            with lab.server(entry.name) as server:
                yield tried(lab, entry.name, server)
        except NotHere as reason:
            yield Seen(entry.name, "", f"not tried: {reason}")


def tried(lab: Lab, name: str, server: Server) -> Seen:
    """All inputs, several at once, the server asked after each batch whether it is well."""
    dice = lab.dice("hostile")
    given = inputs(dice)
    number, answered, silent = lab.times(INPUTS, SHORT), 0, 0
    wrong: list[str] = []
    crew = tree(server.child.pid)
    ask = partial(raw, port_of(server.url), ANSWER_SECONDS)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for begin in range(0, number, BATCH):
            batch = list(islice(given, min(BATCH, number - begin)))
            ways = [dice.random() < 0.5 for _ in batch]
            answers = pool.map(ask, [text for _, text in batch], ways)
            for (what, _), answer in zip(batch, list(answers), strict=True):
                statuses = [int(status) for status in STATUS.findall(answer)]
                answered, silent = answered + bool(statuses), silent + (not statuses)
                if any(one >= 500 and one not in MAY_SAY for one in statuses):
                    wrong.append(f"{what}: {max(statuses)}")
            if not well(server.url, WELL_SECONDS):
                wrong.append(f"no answer after {batch[-1][0]}")
                break
    if tree(server.child.pid) != crew:
        wrong.append("a process died")
    if said := server.child.complaint():
        wrong.append(f"it logged {said[:80]!r}")
    lab.say(f"hostile: {name}: {number} inputs, {len(wrong)} went wrong")
    return Seen(name, f"{number} inputs", f"{answered} answered, {silent} not", wrong=wrong)


FAULT = Fault(
    "hostile input",
    "No malformed request is answered with a server error, ends a process, or writes a line to the "
    "log; the next visitor is served.",
    1200.0,
    run,
)
