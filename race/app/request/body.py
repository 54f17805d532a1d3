"""Makes the body of a request, with the headers that describe it."""

from __future__ import annotations

import hashlib
import json
import mimetypes
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote, urlencode

from race.app.request.form import Request
from race.app.request.values import Values

Described = tuple[str, bytes]
"""A media type and the bytes of it."""
UNKNOWN = "application/octet-stream"


def body(request: Request, values: Values) -> tuple[dict[str, str], bytes]:
    """Return the body with its headers; none for a request without one."""
    described = _described(request, values)
    if described:
        kind, content = described
        return {"Content-Type": kind, "Content-Length": str(len(content))}, content
    empty = request.method in ("POST", "PUT", "PATCH")
    return ({"Content-Length": "0"} if empty else {}), b""


def texts(request: Request) -> Iterator[str]:
    """Yield all that values may stand in, but the path."""
    yield from (*request.headers.values(), *request.cookies.values())
    yield from (request.form or {}).values()
    yield request.body or ""
    yield json.dumps(request.json, ensure_ascii=False)


def _described(request: Request, values: Values) -> Described | None:
    form = {name: values.filled(text) for name, text in (request.form or {}).items()}
    if request.files:
        return _upload(form, request.files, values)
    if request.form is not None:
        return "application/x-www-form-urlencoded", urlencode(form).encode()
    if request.json is not None:
        return "application/json", json.dumps(values.in_json(request.json)).encode()
    if request.body is not None:
        return "text/plain; charset=utf-8", values.filled(request.body).encode()
    if request.file is not None:
        return _type(request.file), values.file(request.file)
    return None


def _upload(form: dict[str, str], files: dict[str, str], values: Values) -> Described:
    """Return a form with files as multipart/form-data. The boundary follows from the content, so
    that it is the same each time and nowhere in it.
    """
    parts = [(f'name="{quote(name)}"', text.encode()) for name, text in form.items()]
    for name, file in files.items():
        named = f'name="{quote(name)}"; filename="{quote(PurePath(file).name)}"'
        parts.append((f"{named}\r\nContent-Type: {_type(file)}", values.file(file)))
    boundary = hashlib.sha256(b"".join(content for _, content in parts)).hexdigest()[:32]
    each = (
        f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + content
        for head, content in parts
    )
    whole = b"\r\n".join([*each, f"--{boundary}--\r\n".encode()])
    return f"multipart/form-data; boundary={boundary}", whole


def _type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or UNKNOWN
