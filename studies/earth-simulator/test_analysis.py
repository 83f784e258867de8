"""Studies of layouts: prices of a step, one stream for all ranks, and that fitted facts are found again."""

import json
from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import with_settings
from hakaru.studies.replays import machine_named, written_schedule

FOLDER = Path(__file__).parent
analysis = part(FOLDER)
layouts = part(FOLDER, "layouts")
rows_of = part(FOLDER, "rows")
fit = part(FOLDER, "fit")
here = part(FOLDER, "here")
equal_ranks = part(FOLDER, "equal_ranks")
vectors = part(FOLDER, "vector_machine")
Layout, StepWork, VectorMachine = vectors.Layout, vectors.StepWork, vectors.VectorMachine

WORK = StepWork(459, 437, 72, 300)
STUDY = "earth-simulator"


def machine():
    return machine_named(STUDY)


def test_the_work_of_a_step():
    assert WORK.flops(256) == pytest.approx(4109 * 256**3)


def test_a_step_is_priced_by_vectors_threads_and_copies():
    one = VectorMachine(6e9, 64.0, 256, 32e9, {False: 1e-3, True: 3e-3}, 1e-5, 8, 0.07)
    assert one.rate(64) == pytest.approx(3e9) and one.rate(512) == one.rate(256)
    flat, hybrid = (one.step(WORK, Layout(64, 2, 8, model)) for model in (False, True))
    shared_s = WORK.flops(64) / (16 * 3e9)
    assert flat.arithmetic_s == pytest.approx(shared_s)
    assert hybrid.arithmetic_s == pytest.approx(1.07 * shared_s + 300 * 1e-5)
    assert (flat.misses_s, hybrid.misses_s) == (1e-3, 3e-3)
    assert hybrid.copies_s - flat.copies_s == pytest.approx(72 * 1e-5)
    assert flat.copies_s == pytest.approx(72 * 2 * 8 * 64**3 / (16 * 32e9))


def test_a_fact_that_is_missing_is_named():
    without = machine().with_facts("threads.loss", None)
    with pytest.raises(UserError, match=r"does not say threads\.loss"):
        VectorMachine.of(without)
    without = without.with_facts("threads.parallel", None)
    with pytest.raises(UserError, match=r"does not say threads\.parallel"):
        VectorMachine.of(without)


def small(peers):
    return {
        "ranks": 3,
        "works": [{"flops": 1, "bytes": 1, "bytes_write_allocate": 1}],
        "streams": [
            {
                "ranks": [[rank, rank, 1]],
                "operations": [
                    {"do": "begin", "phase": "fft"},
                    {"do": "repeat", "times": 2, "operations": [{"do": "compute", "work": 0}]},
                    {"do": "begin", "phase": "pack"},
                    {"do": "compute", "work": 0},
                    {"do": "end", "phase": "pack"},
                    {"do": "end", "phase": "fft"},
                    *[{"do": "put", "peer": (rank + peer) % 3, "bytes": 80} for peer in peers],
                ],
            }
            for rank in range(3)
        ],
    }


def test_one_stream_stands_for_all(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(small((1, 2))))
    priced = equal_ranks.spread(equal_ranks.head(path), lambda phase, counts: 1.0 / counts[phase], 0.5)
    assert priced["streams"][0]["ranks"] == [[0, 2, 1]]
    operations = priced["streams"][0]["operations"]
    assert operations[1]["operations"] == [{"do": "compute", "seconds": 0.5}]
    assert operations[3] == {"do": "compute", "seconds": 1.0}
    assert operations[-2:] == [{"do": "put", "bytes": 40, "shift": 1}, {"do": "put", "bytes": 40, "shift": 2}]


def test_starting_puts_takes_time_before_they_leave():
    document = small((1, 2))
    document["streams"] = document["streams"][:1]
    puts = {"do": "repeat", "times": 6, "operations": [{"do": "put", "peer": 1, "bytes": 80}]}
    document["streams"][0]["operations"] = [puts]
    operations = equal_ranks.spread(document, lambda phase, counts: 0.0, 1.0, 2e-6)["streams"][0][
        "operations"
    ]
    assert operations[0] == {"do": "compute", "seconds": pytest.approx(12e-6)}
    assert operations[1]["times"] == 6
    assert len(equal_ranks.spread(document, lambda phase, counts: 0.0)["streams"][0]["operations"]) == 1


def test_equal_sequences_of_a_phase_are_kept_once():
    def entered(*numbers):
        return [
            {"do": "begin", "phase": "t"},
            *({"do": "put", "bytes": k} for k in numbers),
            {"do": "end", "phase": "t"},
        ]

    def shortened(*sequences):
        operations = [one for sequence in sequences for one in (*entered(*sequence), {"do": "compute"})]
        document, times = equal_ranks.first_period({"streams": [{"operations": operations}]}, "t")
        return [one["bytes"] for one in document["streams"][0]["operations"] if one["do"] == "put"], times

    assert shortened((6,), (3,), (6,), (3,)) == ([6, 3], 2)
    assert shortened((6,), (3,), (6,)) == ([6, 3, 6], 1)
    assert shortened((1, 2), (1, 2), (1, 2)) == ([1, 2], 3)
    assert shortened() == ([], 1)


def test_a_step_shortened_takes_as_long_as_the_whole(tmp_path, monkeypatch):
    study, layout = load(STUDY), Layout(64, 4, 4, False)
    short = layouts.replay(study, machine(), layout, context(tmp_path))
    monkeypatch.setattr(equal_ranks, "first_period", lambda document, phase: (document, 1))
    whole = layouts.replay(study, machine(), layout, context(tmp_path))
    assert short.time_s == pytest.approx(whole.time_s, rel=1e-3)
    assert short.transposition_s == pytest.approx(whole.transposition_s, rel=1e-3)


def test_only_the_beginning_of_a_long_schedule_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(equal_ranks, "PIECE_CHARACTERS", 64)
    (tmp_path / "s.json").write_text(json.dumps(small((1, 2)))[:-20])
    assert len(equal_ranks.head(tmp_path / "s.json")["streams"]) == 1


@pytest.mark.parametrize(
    "text", ["{}", '{"streams": []}', json.dumps({"streams": small((1,))["streams"][1:]})]
)
def test_what_is_no_schedule_of_equal_ranks_is_refused(tmp_path, text):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(UserError, match="no schedule|no rank 0"):
        equal_ranks.head(tmp_path / "s.json")


def test_layouts_respect_planes_and_memory():
    study = load(STUDY)
    found = layouts.layouts(study)
    assert all(one.ranks <= one.n // 2 for one in found)
    assert Layout(256, 16, 8, False) in found and Layout(256, 32, 8, False) not in found
    assert Layout(256, 128, 8, True) in found
    assert layouts.least_nodes(study, 4096) > 640 >= layouts.least_nodes(study, 4096, 4)


def context(tmp_path):
    from hakaru.foretell.replay.engine import engine

    return Context(
        engine(tmp_path / "kept"), lambda program: written_schedule(program, tmp_path), results=tmp_path
    )


def reduced(study):
    """The study at the layouts that the publication has numbers of."""
    grids = [
        {"n": 32, "nodes": [1], "processors": [2, 4, 8]},
        {"n": 256, "nodes": [1], "processors": [1, 8]},
        {"n": 256, "nodes": [16], "processors": [8]},
        {"n": 512, "nodes": [4, 32], "processors": [8]},
    ]
    return with_settings(study, grids=msgspec.convert(grids, tuple[part(FOLDER, "settings").Grid, ...]))


def test_published_numbers_are_met_and_a_wrong_fact_fails(tmp_path, monkeypatch):
    study = reduced(load(STUDY))
    result = analysis.run(study, context(tmp_path))
    rows = {row.id: row for row in result.rows}
    speeds = [row for name, row in rows.items() if name.endswith("/speed") and row.published]
    assert len(speeds) == 5 and all(abs(row.error) < 0.05 for row in speeds)
    predicted = [row for row in rows.values() if row.kind == "prediction"]
    assert all(abs(row.error) < 0.05 for row in predicted) and len(predicted) == 9
    assert rows["figure9/256^3/16/flat/transposition"].kind == "fitted"
    assert rows["table1/512^3/most MPI processes"].error == 0.0
    assert abs(rows["section4/512^3/memory"].error) < 0.05
    assert rows["crossover/512^3/nodes"].ours == 32.0
    assert {row.kind for row in result.rows} == {"prediction", "fitted", "measured", "unpublished"}
    assert len(result.sections) == 6 and "svg" in result.sections[1].pictures[0][0]
    wrong = machine()
    wrong = wrong.with_fact("network.node.put_start", 3.0 * wrong.number("network.node.put_start"))
    monkeypatch.setattr(analysis, "machine_named", lambda _: wrong)
    damaged = {row.id: row for row in analysis.run(study, context(tmp_path)).rows}
    assert damaged["section4/256^3/16 nodes/hybrid/speed"].error < -0.03


def test_fitted_facts_are_found_again(tmp_path):
    told = machine()
    spoiled = told
    fitted = {path for path, fact in told.walk() if fact.source.startswith("fitted")}
    for path in fitted:
        spoiled = spoiled.with_fact(path, 1.3 * told.number(path))
    found = fit.fit(load(STUDY), context(tmp_path), spoiled)
    assert set(found) == fitted
    for path, value in found.items():
        assert value == pytest.approx(told.number(path), rel=0.01), path


def test_every_assumption_and_fit_is_listed():
    study = load(STUDY)
    texts = analysis.assumptions(study, machine())
    assert sum("(fitted" in text for text in texts) == 8 and sum("(assumption" in text for text in texts) == 1


def test_a_rising_function_is_solved():
    assert fit.rising(lambda x: x * x + 1.0, 5.0, 0.0, 10.0) == pytest.approx(2.0, rel=1e-3)


def test_hybrid_that_never_wins_has_no_crossover():
    def one(time_s):
        return layouts.Replayed(Layout(64, 1, 8, True), 1.0, time_s, 0.0, None)

    found = {}
    for nodes, hybrid_s in ((1, 2.0), (2, 0.5), (4, 3.0)):
        found |= {Layout(64, nodes, 8, True): one(hybrid_s), Layout(64, nodes, 8, False): one(1.0)}
    assert rows_of.crossover_rows(found)[0].ours == 2.0
    found[Layout(64, 2, 8, True)] = one(2.0)
    assert rows_of.crossover_rows(found)[0].ours is None


def test_here_holds_flat_against_hybrid(monkeypatch, tmp_path):
    steps = {"1x1": 2.0, "2x1": 1.0, "1x2": 1.1}

    def step_s(study, n, layout, _):
        if n == 64:
            raise UserError("it cannot run so", "too large", "choose other grids")
        return steps[f"{layout.ranks}x{layout.threads}"]

    monkeypatch.setattr(here, "usable_cores", lambda: 2)
    monkeypatch.setattr(here, "_step_s", step_s)
    result = here.run_here(load(STUDY), Context(None, None, results=tmp_path))
    assert {row.id: row.ours for row in result.of("here/32^3/")} == {
        f"here/32^3/{k}/step": v for k, v in steps.items()
    }
    assert result.summary[0] == "32^3: flat is faster (hybrid takes 1.10 times as long)."
    assert "too large" in result.summary[2]
