"""Facts about the noise of a machine from records of the probe ``noise``; formulas in its README."""

from collections import defaultdict
from typing import Any

import numpy as np

from hakaru.facts.records import Record

CLASSES_PER_DECADE = 4  # of the detours' lengths
FALSE_ALARM = 1e-3  # probability that a spectrum of chance alone shows a line
MOST_LINES = 5


def per_core(records: list[Record], table: str, column: str) -> list[np.ndarray]:
    """One array for each core of each record."""
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for number, record in enumerate(records):
        for row in record.rows(table):
            found[number, row["core"]].append(row[column])
    return [np.array(found[key], dtype=float) for key in sorted(found)]


def moments(seconds: np.ndarray) -> tuple[float, float, float]:
    """Deviation, skewness and excess kurtosis of quanta, the first relative to the shortest quantum."""
    from scipy.stats import kurtosis, skew

    if np.ptp(seconds) == 0.0:
        return 0.0, 0.0, 0.0
    return float(np.std(seconds) / seconds.min()), float(skew(seconds)), float(kurtosis(seconds))


def poisson_interval(count: int) -> tuple[float, float]:
    """Exact 95 % interval of the mean of a Poisson variable that was ``count`` once (Garwood, Biometrika 28, 1936)."""
    from scipy.stats import chi2

    low = 0.5 * chi2.ppf(0.025, 2 * count) if count else 0.0
    return float(low), float(0.5 * chi2.ppf(0.975, 2 * count + 2))


def classes(lengths_s: np.ndarray, undisturbed_s: float) -> list[dict[str, float]]:
    """Detours by length, logarithmically: mean length, rate per undisturbed second with its interval. Rate times length, summed,
    is what all of them took.
    """
    if len(lengths_s) == 0:
        return []
    place = np.floor(np.log10(lengths_s) * CLASSES_PER_DECADE).astype(int)
    found = []
    for index in sorted(set(place.tolist())):
        own = lengths_s[place == index]
        low, high = poisson_interval(len(own))
        found.append(
            {
                "length_s": float(own.mean()),
                "longest_s": float(own.max()),
                "rate": len(own) / undisturbed_s,
                "low": low / undisturbed_s,
                "high": high / undisturbed_s,
            }
        )
    return found


def lines(windows: list[np.ndarray], window_s: float) -> list[tuple[float, float]]:
    """(frequency in 1/s, share of the variance) of lines that stand out of the spectrum of the work done in each window.

    The mean of K periodograms of chance alone is gamma distributed with shape K; its level is taken from the median.
    """
    from scipy.stats import gamma

    length = min((len(one) for one in windows), default=0)
    spectra = [np.abs(np.fft.rfft(one[:length] - one[:length].mean())[1:]) ** 2 for one in windows]
    spectra = [one / one.sum() for one in spectra if length >= 16 and one.sum() > 0.0]
    if not spectra:
        return []
    power = np.mean(spectra, axis=0)
    law = gamma(len(spectra), scale=1.0 / len(spectra))
    limit = np.median(power) / law.median() * law.isf(FALSE_ALARM / len(power))
    around = np.pad(power, 1)
    peaks = np.flatnonzero((power > limit) & (power >= around[:-2]) & (power >= around[2:]))
    strongest = sorted(peaks, key=lambda index: -power[index])[:MOST_LINES]
    return [(float((index + 1) / (length * window_s)), float(power[index])) for index in strongest]


def distil(records: list[Record]) -> dict:
    """``noise.*`` of records that kept every core busy (of the others when there are none such).

    ``share``: mean / minimum - 1 of fixed work, a sample a core; ``deviation``, ``skewness``, ``kurtosis`` of fixed work;
    ``detours``: rates by ``length_s``; ``detour_share``: what they took; ``longest``; ``lines``: shares of the spectrum by frequency.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    records = [record for record in records if record.parameters["reserve"] == 0] or records
    work = per_core(records, "fixed_work", "seconds")
    if not work:
        return {}
    ids = [record.id for record in records]
    facts: dict[str, Any] = {"share": fact([one.mean() / one.min() - 1.0 for one in work], "1", ids)}
    for name, samples in zip(
        ("deviation", "skewness", "kurtosis"), zip(*map(moments, work), strict=True), strict=True
    ):
        facts[name] = fact(list(samples), "1", ids)
    facts |= _detours(records, ids)
    windows = per_core(records, "fixed_time", "chunks")
    spectrum = lines(windows, records[0].parameters["window_seconds"])
    if spectrum:
        facts["lines"] = [fact(share, "1", ids, frequency_per_s=frequency) for frequency, share in spectrum]
    return {"noise": facts}


def _detours(records: list[Record], ids: list[str]) -> dict[str, Any]:
    from hakaru.facts.machines import fact

    watched = [row for record in records for row in record.rows("watched")]
    lengths = np.array([row["length"] for record in records for row in record.rows("detours")])
    total_s = sum(row["seconds"] for row in watched)
    lost_s = float(lengths.sum()) + sum(row["left_out_s"] for row in watched)
    if total_s <= lost_s:
        return {}
    facts: dict[str, Any] = {"detour_share": fact(lost_s / total_s, "1", ids)}
    if not len(lengths):
        return facts
    left_out = sum(row["left_out"] for row in watched)
    note = {"note": f"{left_out} detours more were not kept one by one; the rates count them in proportion"}
    scale = 1.0 + left_out / len(lengths)
    facts["longest"] = fact(float(lengths.max()), "s", ids)
    facts["detours"] = [
        fact(
            one["rate"] * scale,
            "1/s",
            ids,
            low=one["low"] * scale,
            high=one["high"] * scale,
            length_s=float(f"{one['length_s']:.4g}"),
            longest_s=float(f"{one['longest_s']:.4g}"),
            **(note if left_out else {}),
        )
        for one in classes(lengths, total_s - lost_s)
    ]
    return facts
