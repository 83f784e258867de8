"""Imports: files as the two programs write them become valid records, wrong ones are told with the place and change nothing."""

import copy
import json

import jsonschema
import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.paths import root as checkout
from hakaru.cli import register_commands
from hakaru.cli import root as app
from hakaru.facts.history.comparison import compare
from hakaru.facts.history.selection import sides
from hakaru.facts.imports.bring import bring_in
from hakaru.facts.records import Entry, RecordStore

# As Google Benchmark 1.7.1 wrote it on 22 November 2026, shortened.
SAMPLE = {
    "family_index": 0,
    "per_family_instance_index": 0,
    "run_type": "iteration",
    "repetitions": 2,
    "threads": 1,
    "iterations": 8332,
    "cpu_time": 3.0942150744119061e00,
    "time_unit": "us",
    "items": 8.2735037430665985e07,
}
GOOGLE = {
    "context": {
        "date": "2026-11-22T19:56:23+02:00",
        "host_name": "vm",
        "executable": "./bench_sort",
        "num_cpus": 2,
        "mhz_per_cpu": 2445,
        "cpu_scaling_enabled": False,
        "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}],
        "load_avg": [4.32373, 5.69482, 5.39258],
        "library_build_type": "release",
    },
    "benchmarks": [
        SAMPLE | {"name": "BM_sort/256/repeats:2", "run_name": "BM_sort/256/repeats:2", "repetition_index": 0, "real_time": 9.5},
        SAMPLE | {"name": "BM_sort/256/repeats:2", "run_name": "BM_sort/256/repeats:2", "repetition_index": 1, "real_time": 10.5},
        SAMPLE | {"name": "BM_sort/256/repeats:2_mean", "run_name": "BM_sort/256/repeats:2", "run_type": "aggregate",
                  "aggregate_name": "mean", "aggregate_unit": "time", "real_time": 10.0},
        SAMPLE | {"name": "BM_wide", "run_name": "BM_wide", "threads": 8, "real_time": 2.5, "time_unit": "ms"},
        {"name": "BM_wrong", "run_name": "BM_wrong", "run_type": "iteration", "threads": 1, "error_occurred": True,
         "error_message": "the file \"x\", is gone", "iterations": 0, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"},
    ],
}  # fmt: skip
# As ReFrame 4.10.4 wrote it on 22 November 2026 (data version 4.2), shortened.
CASE = {
    "system": "generic",
    "partition": "default",
    "environ": "builtin",
    "num_tasks": 4,
    "num_cpus_per_task": None,
    "fail_phase": None,
    "fail_reason": None,
    "time_run": 0.93,
    "time_total": 1.2,
}
REFRAME = {
    "session_info": {
        "data_version": "4.2",
        "hostname": "vm",
        "time_start": "20261122T195919+0000",
        "time_start_unix": 1795377559.6,
        "cmdline": "reframe -c t.py -r",
        "version": "4.10.4",
    },
    "runs": [
        {
            "num_cases": 2,
            "num_failures": 1,
            "testcases": [
                CASE
                | {
                    "name": "stencil %n=64 %order=high",
                    "unique_name": "stencil_0",
                    "result": "pass",
                    "job_completion_time_unix": 1795377560.57,
                    "perfvalues": {
                        "generic:default:solver": [1250.0, 0, None, None, "ms", "pass"],
                        "generic:default:rate": [12.5, 0, None, None, "GB/s", "pass"],
                    },
                },
                CASE
                | {
                    "name": "broken",
                    "unique_name": "broken",
                    "result": "fail",
                    "job_completion_time_unix": 1795377560.67,
                    "fail_phase": "sanity",
                    "fail_reason": "pattern not found",
                    "perfvalues": {},
                },
            ],
        }
    ],
    "restored_cases": [],
}


def file(folder, data, name="given.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def brought(folder, data, time=None):
    result = bring_in([file(folder, data)], folder / "results", time)
    return result, RecordStore(folder / "results").all()


def changed(data, *places, value):
    """A copy with another value at a place; None removes it."""
    found = copy.deepcopy(data)
    node = found
    for place in places[:-1]:
        node = node[place]
    if value is None:
        del node[places[-1]]
    else:
        node[places[-1]] = value
    return found


@pytest.mark.parametrize("data", [GOOGLE, REFRAME], ids=["google", "reframe"])
def test_records_are_valid_and_say_where_they_are_from(tmp_path, data):
    result, records = brought(tmp_path, data)
    schema = jsonschema.Draft202012Validator(
        json.loads((checkout() / "schema" / "record.schema.json").read_text())
    )
    assert records and len(result.made) == len(records)
    for record in records:
        schema.validate(record.as_dict())
        assert (
            record.context["imported"]["file"] == "given.json"
            and len(record.context["imported"]["sha256"]) == 64
        )


def test_google_benchmark_is_read(tmp_path):
    result, (sort, wide, wrong) = brought(tmp_path, GOOGLE)
    assert (sort.program, sort.parameters) == ("bench_sort", {"benchmark": "BM_sort/256/repeats:2"})
    assert [one.wall_s for one in sort.repetitions] == pytest.approx([9.5e-6, 10.5e-6])
    assert sort.started == "2026-11-22T17:56:23.000Z" and sort.environment.host == "vm"
    assert sort.metric("items").samples == (8.2735037430665985e07,) * 2
    assert wide.threads == 8 and wide.layout.oversubscribed and Entry.of(wide).left_out == "oversubscribed"
    assert wrong.status == "failed" and wrong.failure.reason == 'the file "x", is gone'
    assert result.skipped == ["BM_sort/256/repeats:2_mean: an aggregate, no sample"]


def test_reframe_is_read(tmp_path):
    _, (stencil, broken) = brought(tmp_path, REFRAME)
    assert (stencil.program, stencil.parameters) == ("stencil", {"n": 64, "order": "high"})
    assert stencil.wall_s == pytest.approx(1.25) and stencil.ranks == 4 and stencil.verdict == "passed"
    assert stencil.metric("rate").samples == (12.5,) and stencil.context["imported"]["time"] == "solver"
    assert stencil.environment.host == "generic:default" and stencil.environment.compiler == "builtin"
    assert Entry.of(stencil).environment["imported from"] == "ReFrame 4.2"
    assert broken.status == "failed" and broken.failure.reason == "sanity: pattern not found"


def test_older_reframe_is_read(tmp_path):
    case = CASE | {
        "name": "old",
        "result": "success",
        "perfvars": [{"name": "t", "value": 3.0, "unit": "s", "reference": 0}],
    }
    old = changed(REFRAME, "runs", 0, "testcases", value=[case])
    _, (record,) = brought(tmp_path, changed(old, "session_info", "data_version", value="3.1"))
    assert record.wall_s == 3.0 and record.context["imported"]["version"] == "3.1"


def test_the_time_can_be_chosen(tmp_path):
    assert brought(tmp_path, REFRAME, "time_run")[1][0].wall_s == 0.93
    two = changed(
        REFRAME, "runs", 0, "testcases", 0, "perfvalues", "a:b:setup", value=[2.0, 0, None, None, "s"]
    )
    with pytest.raises(
        UserError, match=r"several times .*runs\[0\].testcases\[0\] \(stencil_0\): solver, setup"
    ):
        brought(tmp_path, two)
    result, records = brought(tmp_path, two, "setup")
    chosen = next(record for record in records if record.id in result.made and record.ok)
    assert chosen.wall_s == 2.0 and chosen.metric("solver").unit == "ms"


def test_the_same_file_makes_its_records_once(tmp_path):
    first, _ = brought(tmp_path, GOOGLE)
    again, records = brought(tmp_path, GOOGLE)
    assert again.made == [] and again.known == first.made and len(records) == 3


def test_imported_launches_are_compared(tmp_path):
    for number in range(8):
        data = changed(GOOGLE, "context", "date", value=f"2026-11-{10 + number}T10:00:00+00:00")
        for at in (0, 1):
            data["benchmarks"][at]["real_time"] *= (1.0 if number < 4 else 1.5) + 0.01 * number
        bring_in([file(tmp_path, data)], tmp_path / "results", None)
    found = compare(*sides(("date=..2026-11-13", "date=2026-11-14.."), tmp_path / "results"))
    assert [row.verdict for row in found.rows][:1] == ["slower"] and found.pairs[0].program == "bench_sort"


WRONG = [
    ("{", "line 1, column 2"),
    ("[1, 2]", "none of the fields"),
    ({"benchmarks": []}, "none of the fields"),
    (changed(GOOGLE, "benchmarks", 1, "real_time", value="soon"), r"\$.benchmarks\[1\].real_time"),
    (changed(GOOGLE, "benchmarks", 1, "real_time", value=None), r"benchmarks\[1\].real_time is None"),
    (changed(GOOGLE, "benchmarks", 0, "real_time", value=-1.0), r"benchmarks\[0\].real_time is -1.0"),
    (
        changed(GOOGLE, "benchmarks", 1, "time_unit", value="fortnights"),
        r"fortnights.*benchmarks\[1\].time_unit",
    ),
    (changed(GOOGLE, "context", "date", value="today"), "context.date"),
    (changed(GOOGLE, "context", "date", value=None), r"\$.context"),
    (changed(GOOGLE, "benchmarks", value=GOOGLE["benchmarks"][2:3]), "aggregates_only"),
    (changed(REFRAME, "session_info", "data_version", value="9.0"), "data version 9.0"),
    (changed(REFRAME, "runs", 0, "testcases", value=None), r"\$.runs\[0\]"),
    (changed(REFRAME, "runs", value=[]), "it has no cases"),
    (
        changed(REFRAME, "runs", 0, "testcases", 0, "perfvalues", "generic:default:solver", value=["x"]),
        r"perfvalues\['generic:default:solver'\]\[0\] is 'x'",
    ),
    (
        changed(REFRAME, "runs", 0, "testcases", 0, "perfvalues", value={}),
        r"testcases\[0\] \(stencil_0\): no value in a unit of time.*--time NAME",
    ),
]


@pytest.mark.parametrize(("data", "told"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_wrong_files_are_told_and_change_nothing(tmp_path, data, told):
    with pytest.raises(UserError, match=told) as error:
        bring_in(
            [file(tmp_path, GOOGLE, "fine.json"), file(tmp_path, data, "wrong.json")],
            tmp_path / "results",
            None,
        )
    assert "wrong.json" in str(error.value) and error.value.exit_code != 0
    assert not (tmp_path / "results").exists()


def test_files_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        bring_in([tmp_path / "gone.json"], tmp_path / "results", None)
    with open(tmp_path / "huge.json", "wb") as huge:
        huge.truncate(2**30)
    with pytest.raises(UserError, match="too large"):
        bring_in([tmp_path / "huge.json"], tmp_path / "results", None)
    (tmp_path / "bytes.json").write_bytes(b'{"context": "\xff\xfe"}')
    with pytest.raises(UserError, match="is no JSON"):
        bring_in([tmp_path / "bytes.json"], tmp_path / "results", None)
    with pytest.raises(UserError, match="is no JSON"):
        bring_in([file(tmp_path, "[" * 100_000, "deep.json")], tmp_path / "results", None)


def test_the_command(tmp_path):
    if not app.registered_commands:
        register_commands()
    words = ["import", str(file(tmp_path, GOOGLE)), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0 and len(json.loads(done.stdout)["records"]) == 3
    assert "3 records had been imported before" in CliRunner().invoke(app, words).output
