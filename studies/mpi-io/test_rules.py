"""Made-up records whose rates are known: a world as the publication says, and worlds that contradict it."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import Record, fixtures
from hakaru.facts.records.fixtures import probed, table
from hakaru.studies.analyses import Context, part
from hakaru.studies.conclusions import FAILS, HOLDS, OPEN
from hakaru.studies.fixtures import ClosedForm
from hakaru.studies.study import load_folder

FOLDER = Path(__file__).parent
analysis, rates, rules = (part(FOLDER, name) for name in ("analysis", "rates", "rules"))
STUDY = load_folder(FOLDER)
ROUNDS = 7
EACH = 16 * 2**20  # B of a process
GB = 1e9
BLOCKS = {1: 1.0, 4: 0.5, 16: 0.3, 256: 0.1}  # independent MPI-IO, of its contiguous rate


def as_published(way: str, blocks: int, ranks: int) -> tuple[float, float]:
    """B/s into the page cache and to disk: a master of 500 MB/s, all others 1 GB/s a process, a disk of 100 MB/s."""
    cached = {"master": 0.5 * GB, "independent": ranks * GB * BLOCKS[blocks]}.get(way, ranks * GB)
    return cached, 0.1 * GB


def record(ranks, world=as_published, reach="local", crowded=False, noise=1.0) -> Record:
    rows = []
    for way in ("split", "split, direct", "independent", "collective", "master"):
        for blocks in BLOCKS if not way.startswith("split") else (1,):
            cached, synced = (ranks * EACH / rate for rate in world(way, blocks, ranks))
            factor = noise if way == "independent" else 1.0
            rows += [
                [way, blocks, ranks, ranks * EACH, sample, factor * cached, synced] for sample in range(3)
            ]
        rows += [[way, 1, ranks, 4096 * ranks, 0, 1e-3, 1e-1]]
    return probed(
        "f1",
        table("places", "folder file_system reach", [["/scratch", "ext4", reach]]),
        table("writes", "way blocks ranks bytes sample cached synced", rows),
        table(
            "missing",
            "what why",
            [["independent, 16 blocks", "no room"], ["HDF5, independent", "no library"]],
        ),
        layout=fixtures.layout(ranks, 1, oversubscribed=crowded),
    )


def rounds(world=as_published, **more):
    return [(number, record(ranks, world, **more)) for number in range(ROUNDS) for ranks in (1, 2)]


def verdicts(records) -> dict[tuple[str, int], str]:
    found = rules.answers(rates.of_records(records, distiller()))
    return {(one.rule.name, one.ranks): one.verdict for one in found}


def distiller():
    return analysis.load_module(analysis.root() / "probes" / "files" / "distil.py")


def test_what_the_publication_says_holds_where_it_is_so():
    found = verdicts(rounds())
    assert set(found.values()) == {HOLDS}
    at_two = {name for name, ranks in found if ranks == 2}
    every = (*rules.CONTIGUOUS, *rules.GROWTH, *rules.TO_DISK, *rules.IN_TURNS)
    assert at_two == {rule.name for rule in every}
    assert {name for name, ranks in found if ranks == 1} == {
        rule.name for rule in (*rules.CONTIGUOUS, *rules.TO_DISK)
    }


def changed(way, cached=1.0, synced=1.0, blocks=None, ranks=2):
    """The published world, but for one way of so many processes (with so many blocks) at other rates."""

    def world(one, number, count):
        rates = as_published(one, number, count)
        if one != way or count != ranks or blocks not in (None, number):
            return rates
        return cached * rates[0], synced * rates[1]

    return world


@pytest.mark.parametrize(
    ("world", "failing"),
    [
        (changed("independent", 0.7, blocks=1), {"MPI-IO equals split files", "MPI-IO scales"}),
        (changed("split", 0.5), {"MPI-IO equals split files", "split files scale"}),
        (changed("master", 2.0), {"master constant"}),
        (changed("master", synced=0.5), {"master equals MPI-IO to disk"}),
        (changed("split", synced=1.5), {"split files equal MPI-IO to disk"}),
        (changed("collective", 0.1, blocks=256), {"collective effective with 256 blocks"}),
        (
            changed("independent", 10.0, blocks=256),
            {"independent falls with blocks", "collective effective with 256 blocks"},
        ),
    ],
)
def test_a_record_that_contradicts_a_statement_turns_it(world, failing):
    found = verdicts(rounds(world))
    assert {name for (name, ranks), told in found.items() if told == FAILS} == failing
    assert {told for (name, _), told in found.items() if name not in failing} == {HOLDS}


def test_rounds_that_disagree_leave_a_statement_open():
    disturbed = [
        (number, record(ranks, noise=1.0 if number % 2 else 1.5))
        for number in range(ROUNDS)
        for ranks in (1, 2)
    ]
    found = verdicts(disturbed)
    assert (
        found["MPI-IO equals split files", 2] == OPEN
        and found["split files equal MPI-IO to disk", 2] == HOLDS
    )


def test_the_page_cache_never_counts_as_a_disk():
    records = rounds(reach="memory")
    assert not {name for name, _ in verdicts(records) if "disk" in name}
    result = analysis.beside(STUDY, records)
    assert not [row.id for row in result.rows if "disk" in row.id]
    assert "without a disk" in result.summary[-1]


def test_processes_that_share_cores_have_no_rates():
    found = verdicts([*rounds(), *((number, record(16, crowded=True)) for number in range(ROUNDS))])
    assert {ranks for _, ranks in found} == {1, 2}


def test_rows_stand_beside_the_published_rate():
    result = analysis.beside(STUDY, rounds())
    rows = {row.id: row for row in result.rows}
    for ranks in (1, 2):
        master = rows[f"rate/cache/master/1/{ranks}"]
        assert (master.published, master.ours) == (5e8, pytest.approx(5e8))
        assert rows[f"rate/cache/independent/1/{ranks}"].ours == pytest.approx(ranks * 1e9)
    assert rows["rate/cache/independent/256/2"].ours == pytest.approx(2e8)
    assert rows["rate/disk/split/1/2"].ours == pytest.approx(1e8)
    assert rows["disk/write speed"].error == pytest.approx(100 / 400 - 1)
    assert "with 2 processes 10 of 10" in result.summary[0]
    assert analysis.published_blocks(STUDY) == [4 * 2**20, 2**20, 2**16]


def test_the_page_tells_what_is_missing_and_who_was_timed():
    told = {one.title: one for one in analysis.beside(STUDY, rounds()).sections}
    assert told["Not measured here"].lines == [
        [by, "independent, 16 blocks", "no room"] for by in ("1 process", "2 processes")
    ]
    assert ["2 processes", "16 MiB each, 21 trials a pattern"] in told["Where"].lines
    assert all(len(line) == len(one.columns) for one in told.values() for line in one.lines)


@pytest.mark.parametrize(("cores", "why"), [(2, "share cores"), (16, "no slots")])
def test_launches_take_turns_and_what_failed_is_not_tried_again(monkeypatch, tmp_path, cores, why):
    asked = []

    def launched(program, layout, context, parameters):
        asked.append(layout.ranks)
        assert parameters == {"folder": str(tmp_path)}
        if layout.ranks == 16:
            raise UserError("it failed", "no slots", "see its record")
        return None, record(layout.ranks)

    monkeypatch.setattr(analysis, "launched", launched)
    monkeypatch.setattr(analysis, "usable_cores", lambda: cores)
    context = Context(ClosedForm(), lambda program: None, results=tmp_path)
    result = analysis.run(STUDY, context)
    first = [1, 2] if cores == 2 else [1, 2, 16]
    assert asked == first + [1, 2] * (STUDY.settings.rounds - 1)
    lines = next(one.lines for one in result.sections if one.title == "Not measured here")
    assert lines[0][0] == "16 processes" and why in lines[0][2]


def test_without_any_launch_it_says_why(monkeypatch, tmp_path):
    def launched(*_):
        raise UserError("it failed", "no slots", "see its record")

    monkeypatch.setattr(analysis, "launched", launched)
    with pytest.raises(UserError, match="the probe files did not run.*no slots"):
        analysis.run(STUDY, Context(ClosedForm(), lambda program: None, results=tmp_path))
