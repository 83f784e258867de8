import pytest

from hakaru.base.errors import UserError
from hakaru.run.lab import agent
from hakaru.run.lab.bring import on_cores
from hakaru.run.lab.check import Messages, PingPong, bytes_on_the_link, highest_rate, judge, least_time_s
from hakaru.run.lab.execute import ranks_per_host
from hakaru.run.lab.plan import Settings, plan_hosts, share_cores
from hakaru.run.lab.state import State


@pytest.mark.parametrize(
    "mistake",
    [
        {"hosts": 1},
        {"hosts": 65},
        {"latency_s": -1e-6},
        {"latency_s": 61.0},
        {"rate_bytes_per_s": 10.0},
        {"rate_bytes_per_s": -1.0},
        {"mtu_bytes": 100},
        {"mtu_bytes": 65522},
    ],
)
def test_settings_that_no_lab_can_have_are_refused(mistake):
    with pytest.raises(UserError, match="cannot be made.*allowed is"):
        Settings(**mistake)


def test_no_rate_and_zero_are_unlimited():
    assert Settings(rate_bytes_per_s=0.0) == Settings(rate_bytes_per_s=None)


@pytest.mark.parametrize(
    ("cores", "hosts", "owned", "left"),
    [
        ([0, 1], 2, [(0,), (1,)], (0, 1)),
        ([0, 1, 2], 2, [(0,), (1,)], (2,)),
        ([0, 1, 2, 3, 4], 2, [(0, 1), (2, 3)], (4,)),
        ([0, 1], 4, [(0,), (1,), (0,), (1,)], (0, 1)),
        ([5], 2, [(5,), (5,)], (5,)),
    ],
)
def test_hosts_own_cores_and_the_switch_gets_what_is_left_or_shares_them_all(cores, hosts, owned, left):
    assert share_cores(cores, hosts) == (owned, left)


def test_the_switch_serves_each_host_on_its_core_and_polls_only_on_its_own():
    def words(cores: list[int]) -> list[str]:
        owned, left = share_cores(cores, 2)
        return on_cores(State(Settings(), plan_hosts(2, owned), left, "", ""))

    assert words([4, 7]) == ["--longest-poll-ns=0", "--cores=4,7"]
    assert words([4, 7, 9]) == []


def test_hosts_have_addresses_of_their_own():
    hosts = plan_hosts(64, [(0,)] * 64)
    assert len({host.address for host in hosts}) == len({host.hardware_address for host in hosts}) == 64
    assert hosts[0].name == "hakaru-lab-1" and hosts[63].address == "10.77.0.64"


@pytest.mark.parametrize(
    ("ranks", "per_host", "hosts", "each"), [(2, None, 2, 1), (3, None, 2, 2), (4, 2, 2, 2), (1, None, 4, 1)]
)
def test_ranks_are_spread(ranks, per_host, hosts, each):
    assert ranks_per_host(ranks, per_host, hosts) == each


@pytest.mark.parametrize(("ranks", "per_host"), [(0, None), (3, 1), (2, 0)])
def test_ranks_that_do_not_fit_are_refused(ranks, per_host):
    with pytest.raises(UserError, match="rank"):
        ranks_per_host(ranks, per_host, 2)


def test_the_agent_knows_hosts_by_name_and_address_and_refuses_others(tmp_path):
    import subprocess

    file = tmp_path / "agent"
    file.write_text(agent.script(plan_hosts(2, [(0,), (1,)]), tmp_path))
    assert subprocess.run(["sh", "-n", str(file)]).returncode == 0
    done = subprocess.run(["sh", str(file), "-x", "user@10.77.0.9", "true"], capture_output=True, text=True)
    assert done.returncode == 4
    assert "there is no host 10.77.0.9" in done.stderr


GIGABIT = Settings(2, 1e-4, 1.25e8, 1500)


def test_what_the_links_allow():
    # 1448 B of message fill a frame of 1538 B on an Ethernet with time stamps: 941 Mbit/s, as is well known.
    assert bytes_on_the_link(1448, 1500) == 1538
    assert bytes_on_the_link(1449, 1500) == 1449 + 2 * 90
    assert highest_rate(GIGABIT) * 8 == pytest.approx(941.5e6, rel=1e-3)
    assert least_time_s(8, GIGABIT) == pytest.approx(1e-4 + 98 / 1.25e8)
    assert least_time_s(8, Settings(2, 1e-4)) == 1e-4


def measured(one_way_s: float, rate: float) -> PingPong:
    return PingPong(("a", "b"), (Messages(8, (one_way_s,) * 5),), (rate,) * 5)


@pytest.mark.parametrize(
    ("one_way_s", "rate", "verdicts"),
    [
        (1.3e-4, 1.1e8, ["ok", "ok"]),
        (0.9e-4, 1.1e8, ["impossible", "ok"]),
        (1.3e-4, 1.24e8, ["ok", "impossible"]),
        (9e-4, 0.5e8, ["late", "slow"]),
    ],
)
def test_the_check_can_fail_in_every_way(one_way_s, rate, verdicts):
    assert [row.verdict for row in judge(measured(one_way_s, rate), GIGABIT)] == verdicts


def test_unlimited_links_bound_nothing():
    rows = judge(measured(1e-5, 1e10), Settings(2))
    assert [row.verdict for row in rows] == ["ok", "ok"]
