"""The agent as a program that travels over the connection."""

from __future__ import annotations

import shlex
from pathlib import Path

from race.machine import proc, trees

HERE = Path(__file__).parent
SOURCES = {
    "race.machine.proc": Path(proc.__file__),
    "race.machine.trees": Path(trees.__file__),
    "race.machine.remote.program": HERE / "program.py",
    "race.machine.remote.reach": HERE / "reach.py",
    "race.machine.remote.agent": HERE / "agent.py",
}
FIRST = (
    'import os;exec("s=b\\"\\"\\nwhile len(s)<{length}:'
    's+=os.read(0,{length}-len(s))or os._exit(1)");exec(s)'
)
"""The program on the command line, for any shell: it reads the rest of itself from stdin."""
REST = """
import sys, types
if sys.version_info < (3, 9):
    sys.exit("it is CPython %d.%d: 3.9 or newer is needed" % sys.version_info[:2])
for name, source in {sources!r}.items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
module.main()
"""


def travelling(python: str) -> tuple[str, str]:
    """Return the command that starts the agent, for a shell, and what to write to its stdin."""
    modules = dict.fromkeys(["race", "race.machine", "race.machine.remote"], "")
    sources = {**modules, **{name: path.read_text() for name, path in SOURCES.items()}}
    rest = REST.format(sources=sources)
    return shlex.join([python, "-c", FIRST.format(length=len(rest.encode()))]), rest
