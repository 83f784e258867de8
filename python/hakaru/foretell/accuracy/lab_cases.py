"""What came out on labs: a case is one program on one setting, or why there is none."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec

from hakaru.base.files import write_atomically

NEAR = 0.12  # of 40 cases, 90 % are to lie within


class LabCase(msgspec.Struct, frozen=True):
    """One program on one setting; times in s of each turn, a trace and the launch after it. ``error`` is the median over turns of
    predicted / measured - 1, as a machine whose speed changes is mostly the same for neighbours; ``spread`` is the median distance
    of a launch from the median of all, relative: the best that any prediction could be shown to do."""

    workload: str
    setting: str
    predictions_s: tuple[float, ...]
    launches_s: tuple[float, ...]

    @property
    def predicted_s(self) -> float:
        return median(self.predictions_s)

    @property
    def measured_s(self) -> float:
        return median(self.launches_s)

    @property
    def error(self) -> float:
        pairs = zip(self.predictions_s, self.launches_s, strict=True)
        return median([predicted / measured - 1.0 for predicted, measured in pairs])

    @property
    def spread(self) -> float:
        return median([abs(launch / self.measured_s - 1.0) for launch in self.launches_s])

    def as_dict(self) -> dict:
        told = {name: getattr(self, name) for name in ("predicted_s", "measured_s", "error", "spread")}
        return msgspec.to_builtins(self) | told


class LabFailure(msgspec.Struct, frozen=True):
    """A program that could not be traced, replayed or run on one setting."""

    workload: str
    setting: str
    problem: str


class OnLab(msgspec.Struct, frozen=True):
    """One setting: all programs that were held against it, and so many launches each. ``made``: when it was finished."""

    made: str
    setting: str
    programs: tuple[str, ...]
    launches: int
    cases: tuple[LabCase, ...]
    failures: tuple[LabFailure, ...]


class Kept:
    """Finished settings of a round that is not, a file each in ``folder``; what was asked otherwise is measured anew."""

    def __init__(self, folder: Path):
        self.folder = folder

    def _path(self, setting: str) -> Path:
        return self.folder / f"lab {setting}.json".replace(" ", "_").replace("/", "-")

    def of(self, setting: str, programs: Sequence[str], launches: int) -> OnLab | None:
        """What was kept of this setting, unless it was of other programs or launches, or its file is damaged."""
        try:
            found = msgspec.json.decode(self._path(setting).read_bytes(), type=OnLab)
        except (OSError, msgspec.MsgspecError):
            return None
        same = (found.setting, found.programs, found.launches) == (setting, tuple(programs), launches)
        return found if same else None

    def keep(self, done: OnLab) -> None:
        """Raises UserError where the folder cannot be written."""
        write_atomically(self._path(done.setting), lambda file: file.write(msgspec.json.encode(done)))

    def forget(self, settings: Sequence[str]) -> None:
        """The round is over: the next measures anew, by what hakaru is then."""
        for setting in settings:
            self._path(setting).unlink(missing_ok=True)


def summary(cases: Sequence[LabCase]) -> dict:
    """Median, 90 % quantile and largest of |error|, the median with its sign (``bias``), and the median spread."""
    errors = sorted(abs(case.error) for case in cases)
    at = max(0, -(-9 * len(errors) // 10) - 1)
    return {
        "cases": len(cases),
        "programs": len({case.workload for case in cases}),
        "far": sum(error > NEAR for error in errors),
        "median_error": median(errors),
        "error_of_90_percent": errors[at],
        "largest_error": errors[-1],
        "bias": median([case.error for case in cases]),
        "median_spread": median([case.spread for case in cases]),
    }
