"""Logs managers in and out, and tells the pages under ``/manage`` who visits them."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, NamedTuple, Optional, Tuple

from data_interface.store import Store
from handlers.exchange import MANAGER, Page, Visit, form_fields, page, redirect
from handlers.manage.keys import NOBODY, Keys
from handlers.manage.shared import Attempts, SentForms
from handlers.render.renderer import Renderer

HOME = "/manage"
OFF = "Changes are off: start the server with SITE_TOKEN set."
NO_FORM = "This is not a form in UTF-8."
LOGGED_OUT = "You are not logged in, or no longer. Log in in a new tab, then send this form again."
FORGED = "This form does not belong to this log-in. Look at it once more, and send it again."
WRONG_TOKEN = "That is not the token."
# Pages of ours, so that no link to the log-in leads anywhere else.
_NEXT = re.compile(r"/manage(/(pack|sticker))?(/[0-9]{1,10}){0,2}(/(new|edit|delete))?")
_COOKIE = MANAGER + "={}; Path=/manage; HttpOnly; SameSite=Strict"


class Fault(NamedTuple):
    """Why a form was not carried out, in words above it or beside its field."""

    status: int
    above: str = ""
    beside: str = ""
    extra: Optional[Dict[str, str]] = None


class Desk:
    """The log-ins of managers. Without ``token`` nobody can log in."""

    def __init__(self, store: Store, renderer: Renderer, token: Optional[str]) -> None:
        self.store = store
        self._renderer = renderer
        self._keys = None
        if token is not None:
            self._keys, self._attempts, self._sent = Keys(token), Attempts(), SentForms()

    def login(self, visit: Visit) -> Optional[str]:
        """Return the id of a visitor's log-in, or None without one."""
        return self._keys.login_of(visit.manager) if self._keys else None

    def page(
        self,
        visit: Visit,
        view: str,
        here: str,
        fault: Optional[Fault] = None,
        done: str = "",
        **values: Any,
    ) -> Page:
        """Return a page; ``here`` is its address, to which a log-in leads back."""
        login = self.login(visit)
        state = "off" if self._keys is None else "out" if login is None else "in"
        form = self._keys.form(login) if self._keys and login else ""
        known = {"here": here, "state": state, "form": form, "fault": fault, "done": done}
        body = self._renderer.manage(view, **known, **values)
        return page(body, status=fault.status, extra=fault.extra) if fault else page(body)

    def turned_away(self, visit: Visit, here: str) -> Optional[Page]:
        """Return where a visitor without a log-in is sent who asks for a form; None for others."""
        if self._keys is None:
            return self.off()
        return None if self.login(visit) else redirect(f"/manage/login?next={here}")

    def off(self) -> Page:
        """Return the page for a server that allows no changes."""
        return page(self._renderer.error(403, "Read-only", OFF), status=403)

    def received(self, visit: Visit) -> Tuple[Dict[str, str], Optional[Fault]]:
        """Return the fields of a form that was sent, and why it cannot be carried out."""
        try:
            fields = form_fields(visit.body)
        except ValueError:
            return {}, Fault(400, NO_FORM)
        login = self.login(visit)
        if login is None:
            return fields, Fault(403, LOGGED_OUT if self._keys else OFF)
        known = self._keys and self._keys.form_of(login, fields.get("form", ""))
        return fields, None if known else Fault(403, FORGED)

    def first_time(self, fields: Dict[str, str]) -> bool:
        """Return whether a form of ``received`` without a fault was not sent before."""
        return self._sent.claim(fields["form"].partition(".")[0])

    def ask_for_token(self, visit: Visit) -> Page:
        """Show the form of a log-in."""
        if self._keys is None:
            return self.off()
        wanted = visit.query.partition("next=")[2]
        return redirect(_place(wanted)) if self.login(visit) else self._token_form(visit, wanted)

    async def log_in(self, visit: Visit) -> Page:
        """Log a visitor in who knows SITE_TOKEN."""
        if self._keys is None:
            return self.off()
        try:
            fields = form_fields(visit.body)
        except ValueError:
            return self._token_form(visit, "", Fault(400, NO_FORM))
        wanted = fields.get("next", "")
        fault = self._refused(visit.address, fields)
        if fault:
            return self._token_form(visit, wanted, fault)
        cookie = _COOKIE.format(self._keys.log_in())
        return redirect(_place(wanted), {"Set-Cookie": cookie})

    async def log_out(self, visit: Visit) -> Page:
        """Take the cookie from a visitor. A copy of it would be valid until its time is over."""
        fault = self.received(visit)[1]
        if fault and self.login(visit):
            return page(self._renderer.error(403, "Still logged in", FORGED), status=403)
        return redirect(HOME, {"Set-Cookie": _COOKIE.format("") + "; Max-Age=0"})

    def _refused(self, address: str, fields: Dict[str, str]) -> Optional[Fault]:
        if not self._keys or not self._keys.form_of(NOBODY, fields.get("form", "")):
            return Fault(403, FORGED)
        wait = math.ceil(self._attempts.wait(address))
        if wait:
            # Not 429: japronto has no status above 417.
            text = f"Too many attempts. The next one is allowed in {wait} s."
            return Fault(403, beside=text, extra={"Retry-After": str(wait)})
        if not self._keys.admits(fields.get("token", "")):
            return Fault(403, beside=WRONG_TOKEN)
        self._attempts.forgive(address)
        return None

    def _token_form(self, visit: Visit, wanted: str, fault: Optional[Fault] = None) -> Page:
        signed = self._keys.form(NOBODY) if self._keys else ""
        return self.page(visit, "login", _place(wanted), fault, signed=signed)


def _place(wanted: str) -> str:
    """Return the page that a log-in leads to."""
    return wanted if _NEXT.fullmatch(wanted) else HOME
