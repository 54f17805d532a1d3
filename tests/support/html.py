"""Reads the HTML of pages, and masks what may differ between engines."""

from __future__ import annotations

import re

PAGES = ("/", "/good", "/bad", "/ugly", "/about")
# Frameworks have the attributes in an order of their own.
SESSION = re.compile(
    r"session=([0-9a-f]{32})(?=.*; Path=/(?:;|\Z))(?=.*; HttpOnly)(?=.*; SameSite=(?i:Lax))"
    r"(?:; (?:Path=/|HttpOnly|SameSite=(?i:Lax))){3}"
)
UGLY = "/ugly"
SECURITY = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
}
# Headers that Ugly has not, because it is the framework's own plain response.
OURS = (*SECURITY, "cache-control")

_VARIABLE = (
    (re.compile(r'value="[0-9a-f]{32}"'), 'value="TOKEN"'),
    (re.compile(r'name="form" value="[0-9a-f.]+"'), 'name="form" value="FORM"'),
    (re.compile(r"/pictures/\d+\.svg"), "PICTURE"),
    (re.compile(r"<span>[^<]*</span></button>"), "<span>TITLE</span></button>"),
    (re.compile(r"<h2>[^<]*</h2>\n<p><b>[+-]\d+</b>"), "<h2>TITLE</h2>\n<p><b>RATING</b>"),
    (re.compile(r"<span>\d+ (up|down)</span>"), r"<span>VOTES \1</span>"),
    (re.compile(r"<dd>[\d,]+</dd>"), "<dd>NUMBER</dd>"),
    (re.compile(r"<code>[\w.-]+</code> on Python <code>[\w.]+</code>"), "ENGINE"),
)


def masked(html: str) -> str:
    """Return the page without tokens, stickers, numbers and the engine's name."""
    for pattern, replacement in _VARIABLE:
        html = pattern.sub(replacement, html)
    return html


def cards(html: str) -> list[tuple[int, int, int, int]]:
    """Return (id, rating, up, down) of every sticker on Good or Bad."""
    found = re.findall(
        r'<img src="/pictures/(\d+)\.svg"[^>]*>\s*<h2>[^<]+</h2>\s*'
        r"<p><b>([+-]\d+)</b> <span>(\d+) up</span> <span>(\d+) down</span></p>",
        html,
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in found]


def duels(html: str) -> list[tuple[int, int]]:
    """Return (winner, loser) of every vote on the report of the newest."""
    picture = r'<td><img src="/pictures/(\d+)\.svg"[^>]*> [^<]*</td>'
    found = re.findall(f'<tr class="duel">{picture}{picture}', html)
    return [(int(winner), int(loser)) for winner, loser in found]


def numbers(html: str) -> dict[str, int]:
    """Return the statistics on About."""
    found = re.findall(r"<dt>(\w+)</dt><dd>([\d,]+)</dd>", html)
    return {name: int(number.replace(",", "")) for name, number in found}
