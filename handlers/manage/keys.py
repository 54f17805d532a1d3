"""The signatures of log-ins and forms."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Optional

LOGIN_SECONDS = 12 * 3600
# The log-in of the form that asks for the token.
NOBODY = ""

_COOKIE = re.compile(r"([0-9a-f]{1,16})\.([0-9a-f]{32})\.([0-9a-f]{64})")
_FORM = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})")


class Keys:
    """Signs cookies and form tokens with SITE_TOKEN.

    Nothing is stored, so every worker, and every server with the same SITE_TOKEN, accepts them. A
    log-in ends LOGIN_SECONDS after it began, or when SITE_TOKEN changes.
    """

    def __init__(self, token: str) -> None:
        self._key = token.encode()
        self._token = self._sign("token", token)

    def admits(self, given: str) -> bool:
        """Return whether this is SITE_TOKEN. The signatures that are compared are equally long."""
        return hmac.compare_digest(self._sign("token", given), self._token)

    def log_in(self) -> str:
        """Return the cookie of a new log-in, with an id from the operating system's CSPRNG."""
        ends, login = f"{int(time.time()) + LOGIN_SECONDS:x}", secrets.token_hex(16)
        return f"{ends}.{login}.{self._sign('login', ends, login)}"

    def login_of(self, cookie: Optional[str]) -> Optional[str]:
        """Return the id of the log-in that a cookie stands for, or None for no valid one."""
        match = _COOKIE.fullmatch(cookie or "")
        if match is None:
            return None
        ends, login, signature = match.groups()
        right = hmac.compare_digest(signature, self._sign("login", ends, login))
        return login if right and int(ends, 16) > time.time() else None

    def form(self, login: str) -> str:
        """Return the token of a new form, which only this log-in can send."""
        number = secrets.token_hex(16)
        return f"{number}.{self._sign('form', login, number)}"

    def form_of(self, login: str, given: str) -> Optional[str]:
        """Return the number of the form with this token, or None if it is not this log-in's."""
        match = _FORM.fullmatch(given)
        if match is None:
            return None
        number, signature = match.groups()
        right = hmac.compare_digest(signature, self._sign("form", login, number))
        return number if right else None

    def _sign(self, *parts: str) -> str:
        text = " ".join(parts).encode("utf-8", "replace")
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()
