"""The web side of the site: pages written once, one thin adapter for each framework.

``WEB`` is the registry: a new framework is one module and one line here. Each target is a function
``(site, sock, new_loop, ready) -> exit status`` that serves until SIGTERM or SIGINT.
"""

from runtime.plugin import Plugin

WEB = {
    "aiohttp": Plugin("handlers.web.aiohttp_web:serve", needs=("aiohttp",)),
    "sanic": Plugin("handlers.web.sanic_web:serve", needs=("sanic",)),
    "japronto": Plugin("handlers.web.japronto_web:serve", needs=("japronto",), python="3.7"),
}
