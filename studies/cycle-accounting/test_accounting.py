"""Parts of cycles, caches as the kernel tells them, and events: of made-up times, hosts and readings."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.compilers import Compiler
from hakaru.studies.conclusions import FAILS, HOLDS
from hakaru.studies.told import Told

FOLDER = Path(__file__).parent
accounting, analysis, counters, loops, places, rules, variants = (
    part(FOLDER, name)
    for name in ("accounting", "analysis", "counters", "loops", "places", "rules", "variants")
)
SETTINGS = load("cycle-accounting").settings
GCC = Compiler("gcc", "c", "made up")
ADDITION, COPY = (next(one for one in loops.KERNELS if one.name == name) for name in ("addition", "copy"))


def test_parts_add_up_to_the_whole():
    rounds = {loops.BITS: [1.0, 1.1], places.FIRST: [1.2, 1.1], places.SECOND: [3.0, 3.3]}
    found = accounting.parts(ADDITION, rounds)
    assert found[loops.COMMIT] == [1.0, 1.1]
    assert found[loops.ARITHMETIC] == pytest.approx([0.2, 0.0])
    assert found[loops.CACHE] == pytest.approx([1.8, 2.2])
    assert found[loops.MAIN] == [0.0, 0.0]
    assert [sum(one) for one in zip(*found.values(), strict=True)] == pytest.approx(rounds[places.SECOND])
    assert accounting.share(ADDITION, rounds, loops.CACHE).value == pytest.approx(0.6333, rel=1e-3)


def test_a_kernel_without_arithmetic_has_no_such_wait():
    found = accounting.parts(COPY, {places.FIRST: [1.0], places.SECOND: [2.0], places.MEMORY: [10.0]})
    assert found == {
        loops.COMMIT: [1.0],
        loops.ARITHMETIC: [0.0],
        loops.CACHE: [1.0],
        loops.MAIN: [8.0],
    }


def of_case(case, seconds, waited=None):
    """Times by form and size."""
    shape = loops.Shape(8, 8, 8)
    own = {key: variants.Variant(GCC, case, *key, shape, 64, (), 2 if waited else 1) for key in seconds}
    limits = dict.fromkeys(variants.CEILINGS, [1e-9])
    told = {own[key]: values for key, values in (waited or {}).items()}
    return variants.Times({own[key]: values for key, values in seconds.items()}, told, limits)


def verdicts(times):
    return {one.rule: one.verdict for one in rules.findings(times)}


def test_published_numbers_of_fusion_are_asked_of_the_wait_for_data():
    near, size = loops.NEAR, "made up"
    seconds = {("before", size): [3.0] * 5, ("before", near): [1.0] * 5}
    seconds |= {("after", size): [2.0] * 5, ("after", near): [1.0] * 5}
    times = of_case("fusion", seconds)
    found = {one.rule: one.value.value for one in rules.findings(times)}
    assert found == pytest.approx({"3 share": 2 / 3, "3 halved": 2.0, "3 fusion": 1.5})
    assert set(verdicts(times).values()) == {HOLDS}
    worse = of_case("fusion", seconds | {("after", size): [3.5] * 5})
    assert verdicts(worse) == {"3 share": HOLDS, "3 halved": FAILS, "3 fusion": FAILS}


def test_a_loop_that_is_not_divided_evenly_is_seen():
    forms = [("before", "any"), ("after", "any"), (rules.LINES, "any")]
    seconds = dict(zip(forms, ([3.0] * 5, [2.2] * 5, [2.0] * 5), strict=True))
    waited = dict(zip(forms, ([0.3] * 5, [0.01] * 5, [0.01] * 5), strict=True))
    assert verdicts(of_case("triangle", seconds, waited)) == {
        "4 cyclic": HOLDS,
        "4 barrier": HOLDS,
        "4 sharing": HOLDS,
    }
    uneven = of_case("triangle", seconds, waited | {forms[1]: [0.28] * 5})
    assert verdicts(uneven)["4 barrier"] == FAILS


def test_a_kernel_that_shows_something_else_fails():
    own = rules.Finding("x", "", "gcc", Interval(-0.2, -0.3, -0.1, 5, 0.95), rules.LARGEST)
    assert own.verdict == FAILS


def cache(root, index, level, kind, size):
    folder = root / f"sys/devices/system/cpu/cpu0/cache/index{index}"
    folder.mkdir(parents=True)
    for name, text in (("level", level), ("type", kind), ("size", size)):
        (folder / name).write_text(f"{text}\n")


def test_caches_are_read_from_the_kernel(tmp_path):
    assert not places.caches(tmp_path).told
    for index, one in enumerate([(1, "Data", "48K"), (1, "Instruction", "32K"), (2, "Unified", "1024K")]):
        cache(tmp_path, index, *one)
    cache(tmp_path, 3, 3, "Unified", "32M")
    assert places.caches(tmp_path) == places.Caches(48 << 10, 1 << 20, 32 << 20, True)


def test_arrays_fit_where_they_shall_lie():
    for kernel in loops.KERNELS:
        shape = kernel.shape(64 << 10)
        taken = 8 * kernel.arrays * shape.elements
        assert 0.7 * (64 << 10) < taken <= 64 << 10, kernel.name
    near = [case.near(form, SETTINGS) for case in loops.cases(SETTINGS) for form in case.forms]
    assert all(3 * 8 * one.stride * one.leading * one.columns <= 40 << 10 for one in near if one)


def events(root, device, kind, **names):
    folder = root / counters.DEVICES / device
    (folder / "events").mkdir(parents=True)
    (folder / "type").write_text(f"{kind}\n")
    for name, text in names.items():
        (folder / "events" / name.replace("_", "-" if device.startswith("cpu") else "_")).write_text(text)
    return folder


INTEL = {
    "slots": "event=0x00,umask=0x4",
    "topdown_retiring": "event=0x00,umask=0x80",
    "topdown_bad_spec": "event=0x00,umask=0x81",
    "topdown_fe_bound": "event=0x00,umask=0x82",
    "topdown_be_bound": "event=0x00,umask=0x83",
}


def test_intels_slots_lead_one_group(tmp_path):
    events(tmp_path, "cpu", 4, **INTEL, topdown_mem_bound="event=0x00,umask=0x87")
    method = counters.method(tmp_path, "x86_64")
    assert [one.word for one in method.events][:2] == ["0:4:400", "0:4:8000"]
    counts = dict(zip((one.name for one in method.events), (100, 20, 5, 15, 60, 40), strict=True))
    assert method.shares(counts) == pytest.approx(
        dict(zip(counters.SHARES, (0.2, 0.05, 0.15, 0.4, 0.2), strict=True))
    )


def test_older_intels_do_not_tell_memory_apart(tmp_path):
    events(tmp_path, "cpu_core", 8, **INTEL)
    method = counters.method(tmp_path, "x86_64")
    counts = dict(zip((one.name for one in method.events), (100, 25, 0, 25, 50), strict=True))
    assert "not told apart" in method.name and method.shares(counts)[counters.MEMORY] == 0.0
    assert method.shares(counts)[counters.OTHER] == 0.5


@pytest.mark.parametrize(
    ("family", "model", "slots"), [(25, 17, 6), (25, 97, 6), (26, 2, 8), (25, 1, None), (23, 49, None)]
)
def test_amds_events_are_those_of_the_family(tmp_path, family, model, slots):
    (tmp_path / "proc").mkdir()
    told = f"vendor_id\t: AuthenticAMD\ncpu family\t: {family}\nmodel\t\t: {model}\n\nprocessor\t: 1\n"
    (tmp_path / "proc/cpuinfo").write_text(told)
    assert counters.method(tmp_path, "x86_64") is None, "a virtual machine that shows no counters"
    events(tmp_path, "cpu", 4)
    method = counters.method(tmp_path, "x86_64")
    assert (method is None) == (slots is None)
    assert method is None or f"{slots} slots" in method.name


def test_amds_shares_add_up():
    method = counters.amd(6)
    words = {one.name: one.word for one in method.events}
    assert words["stalls"] == "0:4:100001ea0" and words["load not complete"] == "1:4:a2d6"
    counts = {"cycles": 100, "retired": 120, "dispatched": 150, "no ops": 90, "stalls": 360}
    found = method.shares(counts | {"not complete": 50, "load not complete": 40})
    assert found == pytest.approx(dict(zip(counters.SHARES, (0.2, 0.05, 0.15, 0.48, 0.12), strict=True)))
    assert sum(found.values()) == pytest.approx(1.0)


def test_arms_slots_have_the_width_of_the_kernels_file(tmp_path):
    names = ("cpu_cycles", "stall_slot_frontend", "stall_slot_backend", "op_retired", "op_spec")
    codes = {name: f"event=0x{number:04x}" for number, name in enumerate(names, 0x3A)}
    folder = events(tmp_path, "armv8_pmuv3_0", 9, **codes)
    (folder / "caps").mkdir()
    (folder / "caps/slots").write_text("0x00000008\n")
    method = counters.method(tmp_path, "aarch64")
    counts = dict(zip(names, (100, 80, 320, 380, 400), strict=True))
    expected = (0.475, 0.025, 0.1, 0.0, 0.4)
    assert method.shares(counts) == pytest.approx(dict(zip(counters.SHARES, expected, strict=True)))
    assert [one.word for one in method.events][0] == "0:9:3a"


def test_an_event_of_another_kind_is_refused(tmp_path):
    events(tmp_path, "cpu", 4, **(INTEL | {"slots": "config=0x1"}))
    with pytest.raises(UserError, match="slots cannot be read"):
        counters.method(tmp_path, "x86_64")


def test_readings_are_read_by_name_and_refused_when_some_are_missing():
    method = counters.amd(8)
    lines = [f"{place} {10.0 * place}" for place in range(len(method.events))]
    found = counters.read(Told("made up", {"count": lines}), method.events)
    assert found["stalls"] == 20.0 and len(found) == len(method.events)
    with pytest.raises(UserError, match="6 of 7"):
        counters.read(Told("made up", {"count": lines[:-1]}), method.events)
    with pytest.raises(UserError, match="error 2"):
        counters.read(Told("made up", {"uncounted": ["2"]}), method.events)


class Host:
    """A processor with AMD's events, whose counters open."""

    def __init__(self, root, error=0):
        self.root, self.error = root, error

    def open_cycle_counter(self):
        return self.error


@pytest.fixture
def zen5(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("vendor_id : AuthenticAMD\ncpu family : 26\nmodel : 2\n")
    events(tmp_path, "cpu", 4)
    return tmp_path


def test_events_account_where_they_open_and_ablation_where_not(zen5, monkeypatch):
    own = variants.Variant(GCC, "copy", "whole", places.FIRST, loops.Shape(8, 1, 8), 8)
    values = [100, 160, 400, 240, 200, 50, 40]
    lines = [f"{place} {value}" for place, value in enumerate(values)]
    monkeypatch.setattr(variants, "counted", lambda *_: Told("copy", {"count": lines}))
    way, shares = analysis.by_events({own: Path("x")}, SETTINGS.trial, Host(zen5))
    assert "accounted by AMD" in way and shares[own][counters.RETIRING] == pytest.approx(0.25)
    assert shares[own][counters.MEMORY] == pytest.approx(0.4)
    way, shares = analysis.by_events({own: Path("x")}, SETTINGS.trial, Host(zen5, error=13))
    assert "ablation" in way and "error 13" in way and not shares
    monkeypatch.setattr(variants, "counted", lambda *_: Told("copy", {"uncounted": ["16"]}))
    way, shares = analysis.by_events({own: Path("x")}, SETTINGS.trial, Host(zen5))
    assert "ablation" in way and "error 16" in way and not shares
