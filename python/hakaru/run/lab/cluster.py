"""A lab for the length of a ``with`` block, for programs that measure on it."""

import subprocess
from collections.abc import Mapping, Sequence

from hakaru.run.lab.plan import Settings


class Cluster:
    """``with Cluster(hosts=2, latency_s=1e-4, rate_bytes_per_s=1.25e8) as cluster: cluster.run([...], ranks=2)``

    ``latency_s`` is one way; ``rate_bytes_per_s`` holds for each host's link in each direction, None or 0 for unlimited. The lab is
    made on entry and removed on exit, also by an exception. Raises UserError for what the machine lacks, and when a lab is up and
    is not to be ``replaced``."""

    def __init__(
        self,
        hosts: int,
        latency_s: float = 0.0,
        rate_bytes_per_s: float | None = None,
        mtu_bytes: int = 65521,
        replaced: bool = False,
    ):
        self.settings = Settings(hosts, latency_s, rate_bytes_per_s, mtu_bytes)
        self._replaced = replaced

    def __enter__(self) -> "Cluster":
        from hakaru.run.lab.bring import bring_up

        self.state = bring_up(self.settings, self._replaced)
        return self

    def __exit__(self, *exception: object) -> None:
        from hakaru.run.lab.bring import bring_down

        bring_down()

    def run(
        self,
        argv: Sequence[str],
        ranks: int,
        per_host: int | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        real_time: bool = False,
    ) -> subprocess.CompletedProcess:
        """Runs an Open MPI program; ``environment`` is added for the program alone (``LD_PRELOAD`` too). The exit code is not checked.

        Ranks 0 to ``per_host`` - 1 are on the first host, and so on; by default they are spread over all hosts. Files are the
        machine's own, the same on every host. ``real_time`` runs it before all ordinary processes of the machine. Raises UserError after ``timeout_s``."""
        from hakaru.run.lab.execute import run

        return run(argv, ranks, per_host, environment, timeout_s, real_time=real_time)

    def statistics(self) -> dict | None:
        """What the switch counts: frames, drops, lateness of deliveries; None when it does not answer."""
        from hakaru.run.lab.bring import ask_statistics

        return ask_statistics(self.state)
