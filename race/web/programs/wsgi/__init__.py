"""Index, Good and Ugly on WSGI: one application for each framework, as its users write it.

A module has ``application(index, good)``, which returns the application. Ugly is the framework's
plain answer, and nothing else runs on its way.
"""

from collections.abc import Callable

Make = Callable[[str | None, str, str], tuple[str, str]]
"""Makes a page from the session or None, the address and the user agent. It returns the HTML and
the session, or raises `site.TooLate`.
"""
