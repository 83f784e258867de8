import msgspec
import pytest

from hakaru.facts.records.fixtures import ENVIRONMENT, changed, layout
from hakaru.foretell.forecast.fixtures import campaign, describe, evaluated, record
from hakaru.foretell.models import relevant, sound


def only(records, **wanted):
    target = evaluated(**({"n": 128} | wanted))
    return relevant(
        records, target, lambda parameters: describe("solver", parameters, target.ranks, target.threads)
    )


def test_launches_of_one_point_are_gathered():
    found = only(campaign())
    assert [(one.point.size, len(one.launches)) for one in found.observations] == [
        (32, 5),
        (48, 5),
        (64, 5),
        (80, 5),
    ]
    assert len({name for one in found.observations for name in one.record_ids}) == 20
    assert found.left_out == ()
    assert found.kinds == {
        "stencil": "compute",
        "exchange": "communicate",
        "other": "compute",
        "wait for others": "idle",
    }


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"status": "failed", "failure": {"reason": "r", "exit_code": 1, "standard_error": ""}}, "failed"),
        ({"repetitions": []}, "failed"),
        ({"verdict": "failed"}, "not verified"),
        ({"verdict": "not verified"}, "not verified"),
        ({"layout": layout(2, 1, oversubscribed=True)}, "more threads than cores"),
        (
            {"environment": ENVIRONMENT | {"cpu_model": "another"}, "started": "2020-01-01T00:00:00.000Z"},
            "another machine",
        ),
    ],
)
def test_unsound_records_are_left_out_and_counted(damage, reason):
    good = campaign()
    found = only([*good, changed(record(96), **damage)])
    assert 96 not in [one.point.size for one in found.observations]
    assert found.left_out[0].startswith("1 record: ") and reason in found.left_out[0]
    assert len(found.records) == len(good)


def test_runs_without_checks_count_when_a_verify_passed():
    runs = [changed(one, verdict="not verified") for one in campaign()]
    assert sound(runs)[0] == []
    verify = changed(record(32), command="verify")
    assert len(sound([*runs, verify])[0]) == len(runs)
    elsewhere = changed(verify, environment=ENVIRONMENT | {"compiler_flags": "-O0"})
    assert sound([*runs, elsewhere])[0] == []


def test_another_number_of_steps_is_scaled_by_its_work():
    found = only(campaign(noise=0.0, steps=5), steps=20)
    exact = only(campaign(noise=0.0, steps=20), steps=20)
    for one, other in zip(found.observations, exact.observations, strict=True):
        assert one.totals()[0] == pytest.approx(other.totals()[0])
        assert one.point.count("stencil", "flops") == pytest.approx(other.point.count("stencil", "flops"))


def test_another_method_is_another_program():
    found = only(campaign(method="put"))
    assert found.observations == ()
    assert found.left_out == ("20 records: other parameters",)


def test_without_a_description_only_the_size_may_tell():
    found = relevant([*campaign(), record(128, method="put")], evaluated(n=128))
    assert [one.point.size for one in found.observations] == [32, 48, 64, 80]


def test_a_few_calls_at_the_end_do_not_stop_scaling():
    """Steps + 1 calls, as of a reduction at the end of a run, are not work."""

    def with_last_call(parameters):
        work = describe("solver", parameters)
        first = msgspec.structs.replace(work.phases[0], calls=work.phases[0].calls + 1.0)
        return msgspec.structs.replace(work, phases=(first, *work.phases[1:]))

    found = relevant(campaign(steps=5), with_last_call({"n": 128, "steps": 20}), with_last_call)
    assert len(found.observations) == 4


def with_a_reset(parameters):
    """Each repetition sets its state up: as much work of a phase as of three steps of it."""
    work = describe("solver", parameters)
    first, steps = work.phases[0], work.parameters["steps"]
    more = {name: getattr(first, name) * (steps + 3) / steps for name in ("flops", "bytes")}
    return msgspec.structs.replace(work, phases=(msgspec.structs.replace(first, **more), *work.phases[1:]))


def test_what_a_run_does_once_is_not_multiplied_by_its_steps():
    runs = [
        msgspec.structs.replace(one, work=with_a_reset(one.work.parameters))
        for one in campaign((64,), noise=0.0, steps=5)
    ]
    found = relevant(runs, with_a_reset({"n": 64, "steps": 20}), with_a_reset).observations[0]
    plain = only(campaign((64,), noise=0.0, steps=5), steps=20).observations[0]
    assert found.launches[0]["stencil"] == pytest.approx(plain.launches[0]["stencil"] / 4 * 23 / 8)
    assert found.launches[0]["exchange"] == pytest.approx(plain.launches[0]["exchange"])
    assert found.walls()[0] == pytest.approx(sum(found.launches[0].values()))
    assert found.point.count("stencil", "flops") == pytest.approx(
        with_a_reset({"n": 64, "steps": 20}).phases[0].flops
    )


def test_work_that_bends_with_a_parameter_is_another_problem():
    def bent(parameters):
        work = with_a_reset(parameters)
        first = work.phases[0]
        return msgspec.structs.replace(
            work, phases=(msgspec.structs.replace(first, flops=first.flops**1.2), *work.phases[1:])
        )

    runs = [msgspec.structs.replace(one, work=bent(one.work.parameters)) for one in campaign((64,), steps=5)]
    found = relevant(runs, bent({"n": 64, "steps": 20}), bent)
    assert found.observations == () and "other parameters" in found.left_out[0]


def named_grid(parameters):
    """A named size, or a custom one with a depth and a width (0: as the depth); a named one takes neither."""
    given = {"name": "M", "depth": 0, "width": 0, "method": "alltoall"} | dict(parameters)
    custom = given["name"] == "custom"
    edges = (given["depth"], given["width"])
    refused = "a custom size has a depth" if custom and not edges[0] else None
    if not custom and any(edges):
        refused = "only a custom size has a depth and a width"
    size = max(edges) if custom else {"S": 40, "M": 128}[given["name"]]
    return msgspec.structs.replace(evaluated(size), parameters=given, refused=refused)


def test_parameters_that_only_make_sense_together_set_the_size():
    runs = []
    for one in campaign((32, 48, 64)):
        n = int(one.work.size)
        work = named_grid({"name": "custom", "depth": n, "width": n})
        runs.append(msgspec.structs.replace(one, work=work, parameters=work.parameters))
    for one in campaign((40,)):
        work = named_grid({"name": "S"})
        runs.append(msgspec.structs.replace(one, work=work, parameters=work.parameters))
    for wanted in ({"name": "M"}, {"name": "custom", "depth": 128, "width": 128}):
        found = relevant(runs, named_grid(wanted), named_grid)
        assert [one.point.size for one in found.observations] == [32, 40, 48, 64]
    put = [
        changed(one, work=one.work.as_dict() | {"parameters": one.parameters | {"method": "put"}})
        for one in runs
    ]
    assert relevant(put, named_grid({"name": "M"}), named_grid).observations == ()


def on(one, host: str, **context):
    return changed(one, environment=ENVIRONMENT | {"host": host}, context=context)


def test_nodes_of_a_site_are_one_machine_and_hosts_are_not():
    records = campaign()
    hosts = [f"node{number % 4}" for number in range(len(records))]
    of_site = [on(one, host, place="cluster") for one, host in zip(records, hosts, strict=True)]
    assert len(sound(of_site)[0]) == len(records)
    apart, reasons = sound([on(one, host) for one, host in zip(records, hosts, strict=True)])
    assert len(apart) == len(records) / 4 and sum(reasons.values()) == len(records) - len(apart)
