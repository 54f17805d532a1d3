"""Log messages for background work that is repeated after each failure."""

from __future__ import annotations

import logging

from data_interface.store import StoreError


class Tries:
    """Counts consecutive failures and logs each series once, at its second failure and at its end.

    A single failure is a short outage, which the pages report. An error that the database did not
    raise is a defect of this program: it is logged at once, with its traceback.
    """

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log = log
        self._what = what
        self._failures = 0
        self._logged = False

    def failed(self, error: BaseException) -> None:
        """Count a failure. Call it in the handler of the error."""
        self._failures += 1
        if self._logged:
            return
        if not isinstance(error, StoreError):
            self._logged = True
            self._log.error("%s failed and will be repeated", self._what, exc_info=error)
        elif self._failures > 1:
            self._logged = True
            self._log.warning(
                "%s failed twice in a row and will be repeated: %r", self._what, error
            )

    def succeeded(self) -> None:
        """End the series of failures."""
        if self._logged:
            self._log.warning("%s succeeded after %d failures", self._what, self._failures)
        self._failures, self._logged = 0, False
