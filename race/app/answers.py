"""Asks an application, and compares its answers with what is expected and with each other."""

from __future__ import annotations

import http.client
import json
import re
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from race.app.place import Place
from race.app.request.form import Request
from race.app.requests import Drawn
from race.errors import CellFailed
from race.timeouts import TIMEOUTS

MOST_BYTES = 1 << 26
AROUND = 24
"""The characters that are shown of two bodies from where they differ."""


@dataclass(frozen=True)
class Answer:
    """An answer: its status, media type and body."""

    status: int
    type: str
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")


def ask(place: Place, request: Drawn) -> Answer:
    """Return the answer to the bytes that a load sends. CellFailed if it does not come whole."""
    try:
        with place.connect(TIMEOUTS.page) as connection:
            connection.sendall(request.raw)
            answer = http.client.HTTPResponse(connection, method=request.kind.method)
            answer.begin()
            body = _decoded(_body(answer), answer.getheader("Content-Encoding", ""))
            kind = answer.getheader("Content-Type", "").partition(";")[0].strip().lower()
            return Answer(answer.status, kind, body)
    except (OSError, http.client.HTTPException, zlib.error) as error:
        said = f"{type(error).__name__} {error}".strip()
        raise CellFailed(f"{request} did not answer: {said}") from None


def _body(answer: http.client.HTTPResponse) -> bytes:
    """Return a body that ends in time and is not too long. TimeoutError, HTTPException if not."""
    deadline, body = time.monotonic() + TIMEOUTS.page, bytearray()
    while some := answer.read1(1 << 16):
        body += some
        if time.monotonic() > deadline:
            raise TimeoutError(f"no end after {TIMEOUTS.page:g} s")
        if len(body) > MOST_BYTES:
            raise http.client.HTTPException(f"more than {MOST_BYTES:,} bytes")
    return bytes(body)


def _decoded(body: bytes, coding: str) -> bytes:
    """Return a body without gzip or deflate, which a request may ask for."""
    if coding.lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, MOST_BYTES)


def problem(request: Drawn, answer: Answer) -> str | None:
    """Return what is wrong with an answer by the request's `expect`; None if it is right."""
    expected = request.kind.expect
    if expected.status is None and answer.status >= 400:
        return f"{request} answered {answer.status}: {_begin(answer.text)}"
    if expected.status not in (None, answer.status):
        return f"{request} answered {answer.status}, not {expected.status}"
    if not answer.type.startswith(expected.type.lower()):
        return f"{request} is {answer.type or 'of no type'}, not {expected.type}"
    if expected.contains not in answer.text:
        return f"{request} does not contain {expected.contains!r}: {_begin(answer.text)}"
    return None


def difference(request: Drawn, one: Answer, other: Answer) -> str | None:
    """Return how two answers to one request differ, of what is compared; None if they are alike."""
    if not request.kind.compare:
        return None
    for what in ("status", "type"):
        values = getattr(one, what), getattr(other, what)
        if values[0] != values[1]:
            return f"{what} {values[0] or 'none'} and {values[1] or 'none'}"
    first, second = (masked(answer, request.kind) for answer in (one, other))
    if first == second:
        return None
    at = next(
        (n for n, pair in enumerate(zip(first, second, strict=False)) if len({*pair}) > 1), -1
    )
    at = min(len(first), len(second)) if at < 0 else at
    shown = (repr(text[at : at + AROUND]) for text in (first, second))
    return f"its body from character {at + 1} on: {' and '.join(shown)}"


def masked(answer: Answer, kind: Request) -> str:
    """Return the body for a comparison: JSON in one form, without what may differ."""
    text = answer.text
    if "json" in answer.type:
        text = _canonical(text)
    for pattern in kind.mask:
        text = re.sub(pattern, "*", text)
    return text


def _canonical(text: str) -> str:
    try:
        data: Any = json.loads(text)
    except ValueError:
        return text
    return json.dumps(data, sort_keys=True, ensure_ascii=False)


def _begin(text: str) -> str:
    short = " ".join(text.split())[:80]
    return repr(short) if short else "without a body"


def differences(
    label: str,
    found: Sequence[Answer],
    first: str,
    reference: Sequence[Answer],
    asked: Sequence[Drawn],
) -> list[str]:
    """Return a sentence for each kind of request that two contenders answer differently."""
    told: dict[str, str] = {}
    for request, one, other in zip(asked, reference, found, strict=True):
        if text := difference(request, one, other):
            told.setdefault(
                request.kind.name, f"{first} and {label} answer {request} differently: {text}"
            )
    return list(told.values())
