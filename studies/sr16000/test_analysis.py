"""Studies of ways on a machine of closed form: T = work / rate + messages."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.documents import Network
from hakaru.foretell.replay.documents.network import Level, SizeClass
from hakaru.foretell.replay.engine import engine
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import with_settings
from hakaru.studies.replays import Replayed, machine_named, written_schedule
from hakaru.studies.result import Result

FOLDER = Path(__file__).parent
analysis = part(FOLDER)
here_of = part(FOLDER, "here")
shown_of = part(FOLDER, "shown")
fastest_lines, times_section = shown_of.fastest_lines, shown_of.times_section

FACT = {"minimum_bytes": 0, "value": 3e-6, "unit": "s", "source": "fit: a test"}


@dataclass
class Loop:
    """One way at one length."""

    flops: float
    messages_s: float


class ClosedForm(analysis.Machine):
    def replay(self, bench, cell, eager_limit=None):
        late = 2.0 if eager_limit == 128 else 1.0
        return Replayed(bench.flops / self.rate(cell[0]) + late * bench.messages_s, {})


@pytest.fixture
def study():
    return load("sr16000")


def loops(study):
    return {
        (n, one.way): Loop(2e4 * n * n, 1e-2 if one.way == "blocking" else 8e-3)
        for n in study.settings.lengths
        for one in study.settings.ways
    }


def test_the_rates_give_the_published_times(study):
    machine, benches = ClosedForm({}, "none"), loops(study)
    analysis.fit_rates(study, machine, benches)
    for n, wanted in ((9000, 193.0), (49, 0.0116)):
        cell = (n, "persistent")
        assert machine.replay(benches[cell], cell).time_s == pytest.approx(wanted, rel=1e-6)
        assert machine.rate(n) == pytest.approx(2e4 * n**2 / (wanted - 8e-3), rel=1e-5)
    assert machine.rate(1024) == machine.rate(1) != machine.rate(1025) == machine.rate(9000)


def test_no_rate_is_found_where_messages_alone_take_longer(study):
    benches = loops(study)
    benches[9000, "persistent"].messages_s = 200.0
    with pytest.raises(UserError, match="no rate gives the published time"):
        analysis.fit_rates(study, ClosedForm({}, "none"), benches)
    rate = msgspec.structs.replace(study.settings.rates[0], n=200, way="blocking")
    nowhere = with_settings(study, rates=(rate,))
    with pytest.raises(UserError, match="no published time of blocking at 200"):
        analysis.fit_rates(nowhere, ClosedForm({}, "none"), loops(study))


def test_rows_say_what_was_fitted(study):
    cells = [(n, way) for n in (1, 9000) for way in ("blocking", "persistent")]
    result = Result(basis=study.basis)
    result.add(analysis.time_row(study, *cell, 1.0) for cell in cells)
    assert [row.kind for row in result.rows] == ["fitted", "fitted", "prediction", "fitted"]
    assert analysis.time_row(study, 9000, "blocking", 1.0).published == 200.1
    assert analysis.time_row(study, 200, "blocking", 1.0).published is None
    assert analysis.time_row(study, 9000, "put", 1.0).published is None


def test_the_eager_limit_reaches_the_ratio(study):
    machine, benches = ClosedForm({}, "none", {float("inf"): 1e9}), loops(study)
    context = SimpleNamespace(say=lambda text: None)
    usual = {cell: machine.replay(bench, cell).time_s for cell, bench in benches.items()}
    rows = {row.id: row for row in analysis.eager_rows(study, machine, benches, usual, context)}
    assert rows["eager/240/1/ratio"].published == pytest.approx(0.0087 / 0.0120)
    assert rows["eager/240/1/ratio"].of == ("time/1/blocking", "time/1/persistent")
    assert rows["eager/128/1/ratio"].of == ()
    work = benches[1, "blocking"].flops / 1e9
    assert rows["eager/128/1/ratio"].ours == pytest.approx((work + 2e-2) / (work + 1.6e-2))


def test_the_fastest_way_is_held_beside_the_published_one(study):
    result = Result()
    for n in study.settings.lengths:
        for way, time_s in (
            ("blocking", 1.0 if n < 30 else 2.0),
            ("nonblocking", 1.5),
            ("persistent", 1.0),
            ("put", 9.0),
        ):
            result.rows.append(analysis.time_row(study, n, way, time_s))
    lines, agreeing = fastest_lines(study, result)
    assert [line[2] for line in lines] == ["MPI_SEND, MPI_SEND_INIT"] * 2 + ["MPI_SEND_INIT"] * 3
    assert agreeing == 4
    shown = times_section(study, result)
    assert len(shown.lines) == len(study.settings.lengths)
    assert "MPI_SEND_INIT at 9000" in shown.words[0] and "MPI_SEND at 49" in shown.words[0]


def test_requests_are_started_at_their_own_cost_up_to_its_limit():
    overhead = Fact.of(FACT | {"maximum_bytes": 240})
    machine = Machine.of({"name": "m"}).with_facts("network.node.start_overhead", [overhead])
    level = Level(latency_s=2e-6, send_overhead=(SizeClass(value_s=1e-6),))
    network = Network(model="hierarchy", levels={"node": level})
    changed = analysis.started(network, machine).levels["node"]
    assert changed.latency_s == 2e-6
    assert changed.send_overhead == (
        SizeClass(minimum_bytes=0, maximum_bytes=240, value_s=3e-6),
        SizeClass(minimum_bytes=241, maximum_bytes=None, value_s=1e-6),
    )
    with pytest.raises(UserError, match=r"does not say network\.node\.start_overhead"):
        analysis.started(network, Machine.of({"name": "m"}))


def stated_rows(study, tmp_path):
    asked = with_settings(study, lengths=(1, 29, 49, 9000), eager_limits=())
    context = Context(engine(tmp_path), lambda program: written_schedule(program, tmp_path))
    return [row for row in analysis.run(asked, context).rows if row.published is not None]


def test_fitted_facts_give_their_cells_and_a_wrong_one_fails(study, tmp_path, monkeypatch):
    rows = stated_rows(study, tmp_path)
    assert len(rows) == 12 and sum(abs(row.error) < 0.1 for row in rows) == 11
    fitted = [row for row in rows if row.kind == "fitted"]
    assert len(fitted) == 5 and all(abs(row.error) < 0.01 for row in fitted)
    wrong = machine_named("sr16000")
    wrong = wrong.with_fact("network.node.latency", 1.5 * wrong.number("network.node.latency"))
    monkeypatch.setattr(analysis, "machine_named", lambda name: wrong)
    damaged = {row.id: row.error for row in stated_rows(study, tmp_path)}
    assert damaged["time/49/blocking"] > 0.2


def test_times_here_are_rows_and_are_not_published(study):
    lengths = study.settings.here_lengths
    names = [one.way for one in study.settings.ways]
    times = {(n, way, loaded): 1e-3 * n for n in lengths for way in ["none", *names] for loaded in (0, 1)}
    result = here_of._result(study, times)
    assert {row.kind for row in result.rows} == {"measured"} and all(
        row.published is None for row in result.rows
    )
    assert len(result.rows) == len(lengths) * (1 + 3 * len(names)) and len(result.sections) == 2
    assert all(
        row.ours == 1.0 for row in result.rows if row.id.endswith("/hidden")
    )  # as long as the work alone


@pytest.mark.parametrize(("together", "share"), [(1.0, 1.0), (1.1, 0.5), (1.2, 0.0), (2.0, 0.0), (0.9, 1.0)])
def test_what_the_work_hid(together, share):
    assert here_of.hidden_share(0.2, 1.0, together) == pytest.approx(share)


def test_one_core_is_refused_here(study, monkeypatch):
    monkeypatch.setattr(here_of, "usable_cores", lambda: 1)
    with pytest.raises(UserError, match="ranks that share one measure the scheduler"):
        analysis.here(study, None)
