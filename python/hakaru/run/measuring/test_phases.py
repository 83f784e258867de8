"""Which shares a time gets that the program prints itself."""

import msgspec
import pytest

from hakaru.facts.records.record import STARTING
from hakaru.facts.traces.summary import (
    CollectiveWaits,
    CriticalPath,
    Efficiencies,
    Marks,
    Matrix,
    PhaseOfTrace,
    RankOfTrace,
    TraceSummary,
    Unmatched,
    Waiting,
)
from hakaru.run.measuring.phases import Parts, of_launch, of_printed
from hakaru.run.measuring.tracing import Seen

KINDS = {"computing": "compute", "MPI_Send": "communicate", STARTING: "idle"}
WHOLE = Parts({"computing": 0.6, "MPI_Send": 0.2, STARTING: 0.2}, KINDS, 10.0)


@pytest.fixture
def traced() -> TraceSummary:
    """One rank, 4 s."""
    nothing = Waiting(0.0, (), ())
    return TraceSummary(
        schema="hakaru/trace_summary/1",
        program="solver",
        creator="hakaru",
        events=1,
        complete=True,
        ranks=(RankOfTrace(0, "here", 1.0, 5.0, 1, True, "", "", {}),),
        calls=(),
        phases=(),
        matrix=Matrix(1, (), ()),
        late_senders=nothing,
        late_receivers=nothing,
        collective_waits=CollectiveWaits((), ()),
        unmatched=Unmatched(0, 0),
        efficiencies=Efficiencies(4.0, None, None, None),
        critical_path=CriticalPath({}, {}, {}, 0),
        marks=Marks(),
        uncovered={},
        warnings=(),
    )


def test_a_printed_time_holds_no_start_of_mpi():
    parts = of_printed(WHOLE, 7.5)
    assert parts.shares == {"computing": pytest.approx(0.75), "MPI_Send": pytest.approx(0.25)}
    assert parts.kinds == {"computing": "compute", "MPI_Send": "communicate"}


def test_of_a_small_part_of_the_run_nothing_is_told():
    assert of_printed(WHOLE, 3.9) is None
    assert of_printed(WHOLE, 4.1) is not None


def test_without_mpi_the_shares_are_of_the_whole():
    parts = Parts({"computing": 0.9, "files": 0.1}, {"computing": "compute", "files": "io"}, None)
    assert of_printed(parts, 0.1) is parts


def test_a_run_that_only_starts_keeps_its_shares():
    parts = Parts({STARTING: 1.0}, {STARTING: "idle"}, 1.0)
    assert of_printed(parts, 0.1) is parts


def test_a_region_is_of_the_kind_that_takes_most_of_its_time(traced):
    regions = {
        "stencil": {"compute": 2.0, "wait": 0.1},
        "halo": {"compute": 0.2, "send": 0.1, "wait": 0.2},
        "dump": {"compute": 0.1, "wait": 0.1, "io": 0.3},
        "nothing": {},
    }
    phases = tuple(
        PhaseOfTrace(name, "", sum(times.values()), sum(times.values()), times)
        for name, times in regions.items()
    )
    found = of_launch(Seen(summary=msgspec.structs.replace(traced, phases=phases)), 1, 4.0)
    kinds = {"stencil": "compute", "halo": "communicate", "dump": "io", "nothing": "compute"}
    assert found.kinds == kinds | {"outside of regions": "compute"}
    assert found.shares["outside of regions"] == pytest.approx(0.9 / 4.0)
