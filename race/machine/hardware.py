"""Describes what of the machine may favour one contender: hardware threads, caches, mitigations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from race.saved.head import Hardware

CPUS = Path("/sys/devices/system/cpu")
CPUINFO = Path("/proc/cpuinfo")


def hardware(cores: Iterable[int], lscpu: str) -> Hardware:
    """Return what the kernel and the text of lscpu say of these cores.

    A virtual machine may not be told which of its cores are hardware threads of one.
    """
    cores = sorted(cores)
    siblings = [_text(CPUS / f"cpu{core}/topology/thread_siblings_list") for core in cores]
    return Hardware(
        siblings=list(dict.fromkeys(filter(None, siblings))),
        caches=_caches(cores[0]) if cores else {},
        mitigations={
            path.name: text
            for path in sorted(CPUS.glob("vulnerabilities/*"))
            if (text := _text(path)) and text != "Not affected"
        },
        hypervisor=_hypervisor(lscpu),
    )


def _caches(core: int) -> dict[str, str]:
    """Return the size of each cache of a core, and the cores that share it."""
    found = {}
    for folder in sorted(CPUS.glob(f"cpu{core}/cache/index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(_text(folder / "type"), "")
        shared = _text(folder / "shared_cpu_list")
        found[f"L{_text(folder / 'level')}{kind}"] = f"{_text(folder / 'size')} of cores {shared}"
    return found


def _hypervisor(lscpu: str) -> str | None:
    """Return the hypervisor's name, "unknown" if it does not tell; None on a real machine."""
    if named := re.search(r"^Hypervisor vendor:\s*(.+)$", lscpu, re.MULTILINE):
        return named[1]
    virtual = re.search(r"^flags\s*:.*\bhypervisor\b", _text(CPUINFO), re.MULTILINE)
    return "unknown" if virtual else None


def _text(path: Path) -> str:
    """Return a file of one line or more; "" if there is none, or we may not read it."""
    with suppress(OSError):
        return path.read_text().strip()
    return ""
