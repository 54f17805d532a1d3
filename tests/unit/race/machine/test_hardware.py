"""The kernel's files describe the cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.machine import hardware
from race.saved.head import Hardware

FILES = {
    "cpu0/topology/thread_siblings_list": "0,2",
    "cpu1/topology/thread_siblings_list": "1",
    "cpu2/topology/thread_siblings_list": "0,2",
    "cpu0/cache/index0/level": "1",
    "cpu0/cache/index0/type": "Data",
    "cpu0/cache/index0/size": "32K",
    "cpu0/cache/index0/shared_cpu_list": "0,2",
    "cpu0/cache/index3/level": "3",
    "cpu0/cache/index3/type": "Unified",
    "cpu0/cache/index3/size": "16M",
    "cpu0/cache/index3/shared_cpu_list": "0-2",
    "vulnerabilities/meltdown": "Mitigation: PTI",
    "vulnerabilities/tsa": "Not affected",
}


@pytest.mark.parametrize(
    ("flags", "lscpu", "hypervisor"),
    [
        ("fpu hypervisor sse", "Model: 1\nHypervisor vendor:     KVM\n", "KVM"),
        ("fpu hypervisor sse", "", "unknown"),
        ("fpu sse", "", None),
    ],
)
def test_hardware(
    flags: str,
    lscpu: str,
    hypervisor: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, text in {**FILES, "cpuinfo": f"processor\t: 0\nflags\t\t: {flags}"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    monkeypatch.setattr(hardware, "CPUS", tmp_path)
    monkeypatch.setattr(hardware, "CPUINFO", tmp_path / "cpuinfo")
    found = hardware.hardware([2, 0, 1], lscpu)
    assert found == Hardware(
        siblings=["0,2", "1"],
        caches={"L1d": "32K of cores 0,2", "L3": "16M of cores 0-2"},
        mitigations={"meltdown": "Mitigation: PTI"},
        hypervisor=hypervisor,
    )
    assert found.threads == "0,2 are of one core"


def test_a_machine_without_these_files_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "CPUS", tmp_path)
    monkeypatch.setattr(hardware, "CPUINFO", tmp_path / "cpuinfo")
    assert hardware.hardware([0], "") == Hardware()
