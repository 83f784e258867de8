"""Facts about bindings from records of the probe ``binding``."""

from collections import defaultdict

from hakaru.facts.records import Record


def distil(records: list[Record]) -> dict:
    """``memory.bandwidth_by_binding`` in B/s of all ranks (STREAM's count) and, of ranks on one host, ``network.core.alltoall_by_binding``
    in s, by ``policy`` and ``ranks``. Records whose binding was not what was wanted are left out."""
    from hakaru.facts.machines import fact

    records = [
        record
        for record in records
        if record.ran and not record.layout.oversubscribed
    ]  # fmt: skip
    bandwidth, alltoall = defaultdict(list), defaultdict(list)
    for record in records:
        ranks = record.ranks
        one_host = len({row["host"] for row in record.rows("bindings")}) == 1
        for row in record.rows("times"):
            if row["program"] == "triad":
                bandwidth[row["policy"], ranks].append(row["bytes"] / row["seconds"])
            elif one_host and ranks > 1:
                alltoall[row["policy"], ranks].append(row["seconds"])
    identities = [record.id for record in records]

    def facts(samples: dict, unit: str) -> list[dict]:
        return [
            fact(values, unit, identities, policy=policy, ranks=ranks)
            for (policy, ranks), values in sorted(samples.items())
        ]

    tree: dict = {}
    if bandwidth:
        tree["memory"] = {"bandwidth_by_binding": facts(bandwidth, "B/s")}
    if alltoall:
        tree["network"] = {"core": {"alltoall_by_binding": facts(alltoall, "s")}}
    return tree
