import pytest

from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay import basis
from hakaru.foretell.replay.documents.answer import Basis, Sends, Setting
from hakaru.tell.replays import display


def fact(value, note=None, **keys):
    return Basis.of("network.core.gap", Fact(value=value, unit="s", source="probe a", note=note, keys=keys))


def test_many_sizes_of_a_fact_are_one_line():
    facts = [fact(10.0**-power, minimum_bytes=power) for power in range(5, 9)]
    assert basis.fact_lines(facts) == ["network.core.gap, 4 values, 10.0 ns to 10.0 µs (probe a)"]


def test_single_facts_say_what_they_are_about_and_their_note():
    assert basis.fact_lines([fact(1e-6, "about", cores=4)]) == [
        "network.core.gap cores=4 = 1.00 µs (probe a: about)"
    ]


def test_a_bar_shows_every_part_that_is_there():
    assert display.bar({"compute": 0.5, "waiting": 0.5}, 10) == "█████░░░░░"
    assert display.bar({"compute": 1.0, "overhead": 1e-9}, 10).endswith("▒")
    assert display.bar({}) == ""


def test_changes_are_told_as_people_wrote_them():
    assert (
        display.told_change(Setting(fact="network.node.latency", value=2e-6, unit="s"))
        == "network.node.latency = 2.00 µs"
    )
    assert (
        display.told_change(Setting(fact="network.node.latency", factor=0.5, unit="s"))
        == "network.node.latency times 0.5"
    )


@pytest.mark.parametrize(
    ("late_s", "exchange_s", "as_they_are_s", "changed", "words"),
    [
        (0.8, 0.9, 1.0, 5, "would pay here: 10 % with waits after each exchange, 20 %"),
        (0.8, 1.0, 1.0, 5, "would pay 20 % here, but only where the memory"),
        (0.995, 0.995, 1.0, 5, "would not pay here"),
        (1.0, 1.0, 1.0, 0, "No send blocks"),
        (1.0, 1.0, None, 5, "let it progress"),
    ],
)
def test_whether_other_sends_pay(late_s, exchange_s, as_they_are_s, changed, words):
    told = Sends(way="nonblocking", changed=changed, as_they_are_s=as_they_are_s, exchange_s=exchange_s)
    assert words in display.sends_verdict(late_s, told)
