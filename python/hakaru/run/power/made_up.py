"""Nodes with meters that are not here, as the kernel's files, and commands that answer as meters do: for tests."""

import os
from pathlib import Path

from hakaru.run.power.meter import Place

DCMI = """
    Instantaneous power reading:                   {watts} Watts
    Minimum during sampling period:                 12 Watts
    Maximum during sampling period:                404 Watts
    Average power reading over sample period:      217 Watts
    IPMI timestamp:                           11/23/26 08:00:00 UTC    Sampling period:                          00000005 Seconds.
    Power reading state is:                   {state}
"""


class MadeUpNode:
    """A tree of files below ``folder`` and a PATH of its own."""

    def __init__(self, folder: Path):
        self.root, self.commands = folder / "root", folder / "bin"
        self.variables = {"PATH": str(self.commands)}
        self.root.mkdir(parents=True)
        self.commands.mkdir()

    @property
    def place(self) -> Place:
        return Place(self.root, self.variables)

    def write(self, path: str, text: object) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
        return file

    def zone(self, name: str, title: str, energy_uj: int = 0, range_uj: int = 262_143_328_850) -> Path:
        """A powercap zone, ``intel-rapl:0`` or ``intel-rapl:0:1``; its counter's file is given."""
        folder = f"sys/class/powercap/{name}"
        self.write(f"{folder}/name", title)
        self.write(f"{folder}/max_energy_range_uj", range_uj)
        return self.write(f"{folder}/energy_uj", energy_uj)

    def sensor(self, chip: int, name: str, channel: str, value: int, **files: object) -> Path:
        """A file such as ``power1_average`` of a hwmon chip, with files such as power1_label beside it."""
        folder = f"sys/class/hwmon/hwmon{chip}"
        self.write(f"{folder}/name", name)
        for file, text in files.items():
            self.write(f"{folder}/{file}", text)
        return self.write(f"{folder}/{channel}", value)

    def command(self, name: str, script: str) -> Path:
        """A program on the PATH of this node."""
        path = self.commands / name
        path.write_text(f"#!/bin/sh\nPATH={os.environ['PATH']}\n{script}\n")
        path.chmod(0o755)
        return path

    def ipmi(self, watts: int = 220, state: str = "activated") -> None:
        """A management controller, and the tool that asks it."""
        self.write("dev/ipmi0", "")
        self.command("ipmitool", f"cat <<'END'{DCMI.format(watts=watts, state=state)}END")
