"""The folder of the project, and what depends on whether it is a checkout or an installed wheel."""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "python-loop-races"
ROOT = Path(__file__).resolve().parent.parent
INSTALLED = ROOT.name == "_suite"
"""A wheel has the project, but for ``race``, in ``race/_suite``; nothing is written there."""


def var() -> Path:
    """Return the folder of private databases and notes: VAR_DIR, or ``var`` of the checkout, or the
    user's cache.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / NAME
    own = cache if INSTALLED else ROOT / "var"
    return Path(os.environ.get("VAR_DIR") or own).resolve()


def make(target: str, elsewhere: str = "") -> str:
    """Return the command that makes something; `elsewhere` makes it without a checkout."""
    if INSTALLED:
        return elsewhere or f"make {target} in a checkout of this project"
    return f"make {target}"


def system(packages: str) -> str:
    """Return the command that installs packages of Debian; a checkout has one for all of them."""
    command = f"apt-get install {packages}"
    return command if INSTALLED else f"make system, or {command}"


def extra(name: str) -> str:
    """Return the command that installs the Python packages of an extra."""
    return install(f"{NAME}[{name}]{_origin()}") if INSTALLED else "make env"


def install(package: str) -> str:
    """Return the command that installs a Python package, which a checkout has in its locks."""
    if not INSTALLED:
        return "make env"
    pip = f"{sys.executable} -m pip install"
    if find_spec("pip") is None:  # uvx and `uv tool` make environments without it
        pip = f"uv pip install --python {sys.executable}"
    return f"{pip} '{package}'"


def _origin() -> str:
    """Return where this wheel was installed from, as PEP 610 records it: no registry has it."""
    from importlib import metadata  # new in CPython 3.8; a wheel has 3.11 or newer

    text = metadata.distribution(NAME).read_text("direct_url.json")
    if text is None:
        return ""
    found = json.loads(text)
    vcs = found.get("vcs_info", {}).get("vcs")
    return " @ {}{}".format(f"{vcs}+" if vcs else "", found["url"])
