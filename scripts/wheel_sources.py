"""Puts the native sources into the wheel as hakaru/source/: an installed hakaru builds its programs."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "native",
    "apps",
    "probes",
    "schema",
    "machines",
    "cmake",
    "bench",
    "studies",
)


class CustomBuildHook(BuildHookInterface):
    """Only for wheels that are installed for good: an editable one uses the checkout itself."""

    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            return
        for name in SOURCES:
            path = Path(self.root) / name
            if path.is_file() or (path.is_dir() and any(path.iterdir())):
                build_data["force_include"][str(path)] = f"hakaru/source/{name}"
