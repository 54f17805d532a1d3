"""Work in the background that is tried again and again: what is said of its failures."""

from __future__ import annotations

import logging

from data_interface.store import StoreError


class Tries:
    """Counts failures in a row. Each row is said once, and its end where its beginning was.

    Once is a moment's outage, which pages report; the second time it is said. What is no refusal of
    the database is a defect of ours, and said at once, with its traceback.
    """

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log = log
        self._what = what
        self._failed = 0
        self._said = False

    def failed(self, error: BaseException) -> None:
        """One more; call it where the error is handled."""
        self._failed += 1
        if self._said:
            return
        if not isinstance(error, StoreError):
            self._said = True
            self._log.error("%s failed, and goes on trying", self._what, exc_info=error)
        elif self._failed > 1:
            self._said = True
            self._log.warning("%s failed twice in a row, and goes on trying: %r", self._what, error)

    def worked(self) -> None:
        """It did what it is for."""
        if self._said:
            self._log.warning("%s works again after %d failures", self._what, self._failed)
        self._failed, self._said = 0, False
