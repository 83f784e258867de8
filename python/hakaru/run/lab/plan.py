"""What a lab is to be: its settings, its hosts, and which cores they own."""

from dataclasses import dataclass

from hakaru.base.errors import UserError

PREFIX = "hakaru-lab-"  # of namespaces, which are also the host names
NETWORK = "10.77.0.0/24"
MOST_HOSTS = 64
FEWEST_BYTES_PER_S = 1e3
LONGEST_LATENCY_S = 60.0


@dataclass(frozen=True)
class Settings:
    """``latency_s`` one way; ``rate_bytes_per_s`` of each host's link in each direction, None for unlimited; ``mtu_bytes`` of payload.

    Raises UserError for a setting that no lab can have."""

    hosts: int = 2
    latency_s: float = 0.0
    rate_bytes_per_s: float | None = None
    mtu_bytes: int = 65521

    def __post_init__(self) -> None:
        _require(2 <= self.hosts <= MOST_HOSTS, f"a lab of {self.hosts} hosts", f"2 to {MOST_HOSTS} hosts")
        _require(
            0.0 <= self.latency_s <= LONGEST_LATENCY_S,
            f"a latency of {self.latency_s:g} s",
            f"0 to {LONGEST_LATENCY_S:g} s",
        )
        _require(576 <= self.mtu_bytes <= 65521, f"an MTU of {self.mtu_bytes} B", "576 to 65521 B")
        if not self.rate_bytes_per_s:
            object.__setattr__(self, "rate_bytes_per_s", None)
        else:
            _require(
                self.rate_bytes_per_s >= FEWEST_BYTES_PER_S,
                f"a rate of {self.rate_bytes_per_s:g} B/s",
                f"at least {FEWEST_BYTES_PER_S:g} B/s, or unlimited",
            )


def _require(condition: bool, problem: str, allowed: str) -> None:
    if not condition:
        raise UserError(f"{problem} cannot be made", f"allowed is {allowed}", "choose another")


@dataclass(frozen=True)
class Host:
    name: str
    address: str
    hardware_address: str
    cores: tuple[int, ...]


def share_cores(cores: list[int], hosts: int) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Cores of each host, and those of the switch.

    Every host gets as many as the others, one being kept for the switch where that costs no host its last; hosts beyond the number
    of cores share them in turn. Where none is left the switch has the hosts' own: each serves what its host sends, as an ordinary
    computer's does, so that none is slower than the others."""
    if hosts > len(cores):
        return [(cores[index % len(cores)],) for index in range(hosts)], tuple(cores)
    each = max(1, (len(cores) - 1) // hosts)
    owned = [tuple(cores[index * each : (index + 1) * each]) for index in range(hosts)]
    return owned, tuple(cores[hosts * each :]) or tuple(cores)


def plan_hosts(count: int, owned: list[tuple[int, ...]]) -> list[Host]:
    """Names and addresses of hosts 1 to ``count``."""
    return [
        Host(f"{PREFIX}{number}", f"10.77.0.{number}", f"02:68:6b:00:00:{number:02x}", owned[number - 1])
        for number in range(1, count + 1)
    ]
