"""Numbers for people: SI prefixes for rates and times, binary ones for sizes of caches and messages."""

SI = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")]
BINARY = [(2**40, "Ti"), (2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"), (1, "")]


def scaled(value: float, unit: str, digits: int = 3) -> str:
    """``1.53e10, "B/s"`` -> ``15.3 GB/s``; capacities in bytes become KiB, MiB, GiB; counts stay as they are."""
    if unit in ("1", "", "text"):
        return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
    if value == 0:
        return f"0 {unit}"
    table = BINARY if unit == "B" else SI
    for factor, prefix in table:
        if abs(value) >= factor * 0.9995:
            return f"{value / factor:.{digits}g} {prefix}{unit}"
    factor, prefix = table[-1]
    return f"{value / factor:.{digits}g} {prefix}{unit}"
