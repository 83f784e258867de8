"""Facts from records of the probe ``template_probe``: what a reading of the clock costs."""

from hakaru.facts.records import Record


def distil(records: list[Record]) -> dict:
    """``processor.clock_reading`` in s; empty without a good run."""
    from hakaru.facts.machines import fact

    ran = [record for record in records if record.ran]
    samples = [row["seconds"] for record in ran for row in record.rows("cost")]
    if not samples:
        return {}
    return {"processor": {"clock_reading": fact(samples, "s", [record.id for record in ran])}}
