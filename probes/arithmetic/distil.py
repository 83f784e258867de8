"""Facts about the arithmetic of a machine from records of the probe ``arithmetic``."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from hakaru.facts.records import Record, Row, rows_of

Rows = list[Row]


def grouped(rows: Rows, *keys: str) -> Iterator[tuple[tuple, Rows]]:
    """Rows that share the values of ``keys``, in the order of these values."""
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    yield from sorted(groups.items())


def rates(rows: Rows) -> list[float]:
    """Operations per second of each sample."""
    return [row["operations"] / row["seconds"] for row in rows]


def best_width(rows: Rows, cores: int, precision: str = "double") -> Rows:
    """The fused multiply-add samples on so many cores at the register width with the highest median rate."""
    chosen = [
        row
        for row in rows
        if row["kernel"] == "fma" and row["precision"] == precision and row["cores"] == cores
    ]
    widths = [group for _, group in grouped(chosen, "bits")]
    return max(widths, key=lambda group: median(rates(group)), default=[])


def paired_ratios(upper: Rows, lower: Rows, lower_amount: str = "operations") -> list[float]:
    """Ratios of the rates of samples that were taken next to each other: of one record and one repetition."""
    beside = {(row["record"], row["repetition"]): row[lower_amount] / row["seconds"] for row in lower}
    pairs = [(row, beside.get((row["record"], row["repetition"]))) for row in upper]
    return [row["operations"] / row["seconds"] / rate for row, rate in pairs if rate]


def distil(records: list[Record]) -> dict:
    """``processor.{cores,simd_bits,instruction_set,clock}`` and ``compute.{fma_peak,dgemm,dgemm_efficiency,
    flops_per_cycle,kernels,latency,blas,findings}``.

    Rates are in flop/s (exponential: results, 1/s), latencies in s, the clock in Hz. ``fma_peak`` is double
    precision at the fastest register width. Efficiencies are medians of ratios within a repetition.
    """
    records = [record for record in records if record.ran]
    if not records:
        return {}
    return {"processor": processor(records), "compute": compute(records)}


def processor(records: list[Record]) -> dict:
    from hakaru.facts.machines import fact

    ids = [record.id for record in records]
    tree = {}
    clock = [row["cycles"] / row["seconds"] for row in rows_of(records, "clock")]
    if clock:
        tree["clock"] = fact(clock, "Hz", ids)
    for row in rows_of(records, "instructions")[-1:]:
        tree["simd_bits"] = fact(row["widest_bits"], "1", ids[-1])
        tree["instruction_set"] = fact(row["set"], None, ids[-1])
    # With a limit on the cores the probe has not seen all of them.
    whole = [record for record in records if record.parameters.get("cores") == 0]
    if seen := [row["cores"] for row in rows_of(whole, "binding")]:
        tree["cores"] = fact(max(seen), "1", whole[-1].id)
    return tree


def compute(records: list[Record]) -> dict:
    from hakaru.facts.machines import fact

    ids = [record.id for record in records]
    kernels, products, clock = (rows_of(records, name) for name in ("kernels", "dgemm", "clock"))
    tree = defaultdict(list)
    for cores in sorted({row["cores"] for row in kernels}):
        if fastest := best_width(kernels, cores):
            tree["fma_peak"].append(
                fact(rates(fastest), "flop/s", ids, cores=cores, precision="double", bits=fastest[0]["bits"])
            )
        own = [row for row in products if row["cores"] == cores]
        for (order,), rows in grouped(own, "order"):
            tree["dgemm"].append(fact(rates(rows), "flop/s", ids, cores=cores, order=order))
            if ratios := paired_ratios(rows, fastest):
                tree["dgemm_efficiency"].append(fact(ratios, "1", ids, cores=cores, order=order))
    for precision in ("double", "single"):
        if ratios := paired_ratios(best_width(kernels, 1, precision), clock, "cycles"):
            tree["flops_per_cycle"].append(fact(ratios, "1", ids, precision=precision))
    for (kernel, precision, bits, cores), rows in grouped(kernels, "kernel", "precision", "bits", "cores"):
        unit = "1/s" if kernel == "exponential" else "flop/s"
        keys = {"kernel": kernel, "precision": precision, "bits": bits, "cores": cores}
        tree["kernels"].append(fact(rates(rows), unit, ids, **keys))
    for (kernel, precision), rows in grouped(rows_of(records, "latency"), "kernel", "precision"):
        latencies = [row["seconds"] / row["operations"] for row in rows]
        tree["latency"].append(fact(latencies, "s", ids, kernel=kernel, precision=precision))
    tree = dict(tree)
    for row in rows_of(records, "blas")[-1:]:
        words = (row["library"], row["version"], f"kernel {row['kernel']}" if row["kernel"] else "")
        tree["blas"] = fact(", ".join(word for word in words if word), None, ids[-1])
    if found := sorted({(row["finding"], ids[row["record"]]) for row in rows_of(records, "findings")}):
        tree["findings"] = [fact(finding, None, identity) for finding, identity in found]
    return tree
