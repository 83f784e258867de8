"""Facts about sums from records of the probe ``reduction``."""

from collections import defaultdict

from hakaru.facts.records import Record


def distil(records: list[Record]) -> dict:
    """``compute.sum``: seconds a summand of one core, by ``method`` and number of ``operands``."""
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    samples = defaultdict(list)
    for record in records:
        for row in record.rows("sums"):
            samples[row["method"], row["operands"]].append(row["seconds"] / row["operands"])
    if not samples:
        return {}
    identities = [record.id for record in records]
    facts = [
        fact(values, "s", identities, method=method, operands=operands)
        for (method, operands), values in sorted(samples.items())
    ]
    return {"compute": {"sum": facts}}
