"""Malformed requests: listed ones, and as many as asked for from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

LONGEST = 1 << 20

HOST = b"Host: x\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
VOTE = b"vote_plus=" + b"0" * 32 + b"&vote_minus=" + b"1" * 32
# Correct requests, which the functions below spoil.
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
    "Arabic digits": b"POST / HTTP/1.1\r\nContent-Length: " + "٣".encode() + b"\r\n\r\nabc",
    "a chunk size in Python's form": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"0x3\r\nabc\r\n0\r\n\r\n",
    "CRs alone": b"GET / HTTP/1.1\r\nA: a\rB: b\rC\r\n\r\n",
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
    "an expectation that is no text": b"GET / HTTP/1.1\r\n" + HOST + b"Expect: \xff\xfe\r\n\r\n",
    "half a character": b"POST / HTTP/1.1\r\n" + FORM + b"Content-Length: 6\r\n\r\n%f0%9f",
}
ODD = (
    *(b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b":", b"%", b"%00", b"%2f..", b"\xff\xfe"),
    *(b"\x7f", b"\xc3", b"{", b"';--", b"Content-Length: 99\r\n", b"Transfer-Encoding: x\r\n"),
)

Spoil = Callable[[random.Random, bytes], bytes]


def flipped(chance: random.Random, text: bytes) -> bytes:
    """Change a few bytes."""
    found = bytearray(text)
    for _ in range(chance.randint(1, 8)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def cut(chance: random.Random, text: bytes) -> bytes:
    """Leave out a part."""
    begin, end = sorted(chance.sample(range(len(text) + 1), 2))
    return text[:begin] + text[end:]


def broken_off(chance: random.Random, text: bytes) -> bytes:
    """Return the beginning alone."""
    return text[: chance.randint(1, len(text))]


def stuffed(chance: random.Random, text: bytes) -> bytes:
    """Put something odd in, once or often."""
    where = chance.randrange(len(text) + 1)
    return text[:where] + chance.choice(ODD) * chance.choice((1, 2, 9, 999)) + text[where:]


def repeated(chance: random.Random, text: bytes) -> bytes:
    """Repeat a line many times."""
    lines = text.split(b"\r\n")
    at = chance.randrange(len(lines))
    return b"\r\n".join([*lines[:at], *[lines[at]] * chance.choice((2, 40, 2000)), *lines[at:]])


def shuffled(chance: random.Random, text: bytes) -> bytes:
    """Return the lines in another order."""
    lines = text.split(b"\r\n")
    chance.shuffle(lines)
    return b"\r\n".join(lines)


def other_ends(chance: random.Random, text: bytes) -> bytes:
    """End the lines in another way."""
    return text.replace(b"\r\n", chance.choice((b"\n", b"\r", b"\n\r", b"\r\r\n", b"\0\n")))


def numbered(chance: random.Random, text: bytes) -> bytes:
    """Put another number in place of each digit."""
    number = chance.choice((b"-1", b"0", b"+7", b"1e9", b"0x10", b"8" * 10, b"9" * 99, b"", b" 3 "))
    return b"".join(number if 48 <= byte < 58 else bytes([byte]) for byte in text)


def mixed(chance: random.Random, text: bytes) -> bytes:
    """Return the beginning of this request and the end of another."""
    other = chance.choice(RIGHT)
    return text[: chance.randint(1, len(text))] + other[chance.randrange(len(other)) :]


def noise(chance: random.Random, text: bytes) -> bytes:
    """Return random bytes."""
    return chance.randbytes(chance.randint(1, 4 * len(text)))


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


def inputs(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield the listed inputs with their names, then random ones without end; none comes twice."""
    yield from LISTED.items()
    seen = {*LISTED.values(), *RIGHT}
    number = 0
    while True:
        names, text = [], chance.choice(RIGHT)
        for spoil in chance.choices(SPOILERS, k=chance.choice((1, 1, 2, 3))):
            text = spoil(chance, text)[:LONGEST] or b"\n"
            names.append(spoil.__name__)
        if text not in seen:
            seen.add(text)
            number += 1
            yield f"{number} {' '.join(names)}", text
