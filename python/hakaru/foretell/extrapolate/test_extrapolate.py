"""Extrapolated schedules equal true ones, operation by operation; what is damaged is seen, and what follows no law is refused."""

from math import prod
from random import Random

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.foretell.extrapolate import fixtures, template
from hakaru.foretell.extrapolate.compare import compare
from hakaru.foretell.extrapolate.extrapolate import Given, extrapolate
from hakaru.foretell.extrapolate.grids import least_surface


def found(program, few, many, few_sizes=({"n": 64},), many_sizes=None):
    given = [run for sizes in few_sizes for run in fixtures.runs(program, few, **sizes)]
    target = dict(many_sizes or few_sizes[0])
    return extrapolate(given, many, {name: float(value) for name, value in target.items()}), program(
        many, **target
    )


def same(extrapolated, truth):
    compared = compare(extrapolated.schedule, truth)
    assert compared.same, [one.example for one in compared.differing.values()]
    assert compared.operations > 0
    return extrapolated


def test_a_ring_has_as_many_turns_as_ranks_less_one():
    same(*found(fixtures.ring, (2, 4, 8), 16))


def test_a_butterfly_has_a_turn_for_each_bit():
    same(*found(fixtures.butterfly, (2, 4, 8, 16), 64))


@pytest.mark.parametrize("axes", (1, 2))
def test_neighbours_on_a_grid_are_found_without_tags(axes):
    def program(ranks, n):
        return fixtures.halo(ranks, n, axes)

    same(*found(program, (2, 4, 8, 16), 64))


def test_a_trace_has_no_loops_and_they_are_found():
    def program(ranks, n):
        return fixtures.halo(ranks, n, 1, unfolded=True)

    extrapolated = same(*found(program, (2, 4, 8), 32))
    assert any(one.do == "repeat" for stream in extrapolated.schedule.streams for one in stream.operations)


def test_sizes_grow_with_the_problem_too():
    sizes = ({"n": 64}, {"n": 128})
    same(*found(lambda ranks, n: fixtures.halo(ranks, n, 2), (2, 4, 8, 16), 64, sizes, {"n": 512}))


def test_pieces_of_columns_follow_laws():
    def program(ranks, n):
        return fixtures.halo(ranks, n, 2, columns=True)

    sizes = ({"n": 64}, {"n": 128})
    extrapolated = same(*found(program, (2, 4, 8, 16), 64, sizes, {"n": 512}))
    told = [one for stream in extrapolated.schedule.streams for one in stream.operations]
    inside = [one for loop in told for one in loop.operations or () if one.do == "send"]
    assert {one.piece for one in inside} == {None, 8 * 512 // 8}


def test_what_operations_are_else_is_kept():
    def program(ranks, n=None):
        def of(rank):
            message = {"peer": (rank + 1) % ranks, "tag": 1, "bytes": 8}
            return [
                {"do": "begin", "phase": "solve"},
                {"do": "isend", "request": 0, "persistent": True} | message,
                {"do": "receive", "peer": (rank - 1) % ranks, "tag": 1, "bytes": 8, "in": None},
                {"do": "wait", "request": 0},
                {"do": "end", "phase": "solve"},
            ]

        return fixtures.schedule(of, ranks)

    extrapolated = same(*found(program, (2, 4, 8), 64))
    _, started, received, *_ = extrapolated.schedule.streams[0].operations
    assert started.persistent and received.within is None


def test_rows_of_a_grid_share_a_communicator():
    extrapolated = same(*found(fixtures.rows, (2, 4, 8, 16), 64))
    assert len(extrapolated.schedule.communicators[1].groups) == 8


def test_a_size_that_nobody_says_is_read_out_of_uneven_shares():
    given = [Given(fixtures.spread(ranks), {}, f"run-{ranks}") for ranks in (2, 3, 4, 8)]
    same(extrapolate(given, 16, {}), fixtures.spread(16))


def test_ranks_that_do_the_same_share_a_stream():
    extrapolated, _ = found(fixtures.ring, (2, 4, 8), 4)
    assert len(extrapolated.schedule.streams) == 1
    many, _ = found(lambda ranks, n: fixtures.halo(ranks, n, 2), (2, 4, 8, 16), 4096)
    assert len(many.schedule.streams) == 9, "corners, edges and the inside of a grid"


def test_computing_grows_by_its_own_law():
    given = fixtures.runs(fixtures.ring, (2, 4, 8), n=64, seconds=1e-3)
    sized = [Given(one.schedule, {"n": 64.0}, one.name) for one in given]
    extrapolated = extrapolate(sized, 16, {"n": 64.0})
    (_, share, law) = extrapolated.computing[0]
    assert share == pytest.approx(1.0) and law.error < 1e-6
    first = extrapolated.schedule.streams[0].operations[0].operations[0]
    assert first.seconds == pytest.approx(1e-3 * 64 / 16)


def test_computing_at_the_end_may_be_none_on_some_ranks():
    def run(ranks):
        def of(rank):
            seconds = 0.0 if (ranks, rank) in ((2, 0), (8, 5)) else 1e-8  # ends within one tick of the clock
            return [{"do": "barrier"}, {"do": "compute", "seconds": seconds}]

        return fixtures.schedule(of, ranks)

    extrapolated = extrapolate([Given(run(ranks), {}, f"run-{ranks}") for ranks in (2, 4, 8)], 16, {})
    (stream,) = extrapolated.schedule.streams
    assert [one.do for one in stream.operations] == ["barrier", "compute"]
    assert 0 < stream.operations[1].seconds < 1e-8


def changed(schedule: Schedule, what: str, by: int) -> Schedule:
    """With one number of the first message of the last stream changed."""
    document = msgspec.to_builtins(schedule)
    operations = document["streams"][-1]["operations"]
    while operations[0]["do"] == "repeat" and what != "times":
        operations = operations[0]["operations"]
    one = next(one for one in operations if what in one)
    one[what] += by
    return Schedule.of(document)


@pytest.mark.parametrize(("what", "by"), (("shift", 1), ("bytes", 8), ("times", 1)))
def test_damage_is_seen(what, by):
    extrapolated, truth = found(lambda ranks, n: fixtures.halo(ranks, n, 2), (2, 4, 8, 16), 36, ({"n": 144},))
    assert compare(extrapolated.schedule, truth).same
    compared = compare(changed(extrapolated.schedule, what, by), truth)
    assert not compared.same
    assert compared.carried > 0 or compared.beside > 0


def test_lengths_that_follow_the_data_are_named_with_the_time_that_they_carry():
    def program(ranks):
        lists = [[8 * ((7 * a + 3 * b) % 11 + 1) for b in range(ranks)] for a in range(ranks)]

        def of(rank):
            return [{"do": "alltoall", "list": rank}, {"do": "barrier"}]

        return fixtures.schedule(of, ranks, lists=lists)

    given = [Given(program(ranks), {}, f"run-{ranks}") for ranks in (2, 4, 8)]
    extrapolated = extrapolate(given, 16, {})
    assert any("lengths follow the data" in one for one in extrapolated.assumed)
    compared = compare(extrapolated.schedule, program(16))
    assert set(compared.differing) == {"alltoall"} and 0.5 < compared.carried < 1
    assert compared.equal == 16


def test_a_guess_between_neighbours_and_butterflies_is_said():
    extrapolated, _ = found(lambda ranks, n: fixtures.halo(ranks, n, 2), (2, 4, 8), 64)
    assert any("is a guess" in one for one in extrapolated.assumed)


def refusal(given, ranks=16, **sizes):
    with pytest.raises(UserError) as error:
        extrapolate(given, ranks, {name: float(value) for name, value in sizes.items()})
    return str(error.value)


def test_two_programs_are_refused():
    other = Given(fixtures.schedule(lambda rank: [{"do": "barrier"}], 4, "another"), {}, "b")
    assert "runs of 2 programs" in refusal([Given(fixtures.ring(2), {}, "a"), other])


def test_another_version_is_refused():
    phases = [{"name": "solve", "kind": "compute"}]
    newer = fixtures.schedule(lambda rank: [{"do": "barrier"}], 4, phases=phases)
    assert "different phases" in refusal([Given(fixtures.ring(2), {}, "a"), Given(newer, {}, "b")])


def test_one_number_of_ranks_says_nothing_of_others():
    assert "same number of ranks" in refusal(fixtures.runs(fixtures.ring, (4,), n=64), n=64)


def test_one_size_says_nothing_of_others():
    said = refusal(fixtures.runs(fixtures.ring, (2, 4, 8), n=64), n=512)
    assert "all traces have n=64" in said


def test_different_inputs_are_refused():
    given = fixtures.runs(fixtures.ring, (2, 4), n=64) + fixtures.runs(fixtures.ring, (8,), n=128)
    assert "does not say its m" in refusal(given, n=64, m=3)
    assert "different n" in refusal(given)


def test_a_pattern_that_changes_between_rank_counts_is_refused_with_its_place():
    def program(ranks):
        to = list(range(ranks))
        Random(ranks).shuffle(to)

        def of(rank):
            return [
                {"do": "barrier"},
                {"do": "ireceive", "peer": to.index(rank), "tag": 0, "bytes": 80, "request": 0},
                {"do": "send", "peer": to[rank], "tag": 0, "bytes": 80},
                {"do": "wait", "request": 0},
            ]

        return fixtures.schedule(of, ranks)

    said = refusal([Given(program(ranks), {}, f"run-{ranks}") for ranks in (5, 8, 16)], 32)
    assert "(ireceive) cannot be extrapolated" in said and "; first at rank " in said


def test_what_is_too_long_to_be_aligned_is_refused(monkeypatch):
    monkeypatch.setattr(template, "MOST_PAIRS", 0)
    given = fixtures.runs(lambda ranks, n: fixtures.halo(ranks, n, 2), (2, 4, 8, 16), n=64)
    assert "too long" in refusal(given, 64, n=64)


def test_threads_are_refused():
    fork = {"do": "fork", "request": 0, "operations": [{"do": "barrier"}]}
    threads = fixtures.schedule(lambda rank: [fork, {"do": "wait", "request": 0}], 2)
    assert "several threads" in refusal([Given(threads, {}, "a"), Given(fixtures.ring(4), {}, "b")])


def computing(flops):
    """Every rank computes ``flops(ranks, rank)``; 0 is no computing."""

    def program(ranks, n=64):
        works = [
            {"flops": float(flops(ranks, rank)), "bytes": 8.0, "bytes_write_allocate": 8.0}
            for rank in range(ranks)
        ]

        def of(rank):
            return [*([{"do": "compute", "work": rank}] if works[rank]["flops"] else []), {"do": "barrier"}]

        return fixtures.schedule(of, ranks, works=works)

    return program


def test_a_law_may_hold_from_some_number_of_ranks_on():
    program = computing(lambda ranks, rank: 4800 / ranks if ranks > 2 else 77)
    extrapolated = same(*found(program, (2, 4, 8, 16), 64))
    assert any("from 4 ranks on" in one for one in extrapolated.assumed)


def test_no_law_is_taken_from_one_number_of_ranks():
    program = computing(lambda ranks, rank: {2: 77, 4: 1013, 8: 14}.get(ranks, 5))
    with pytest.raises(UserError):
        found(program, (2, 4, 8), 64)


def dealt(pieces):
    """Pieces that cannot be divided, one rank after the other."""
    return computing(lambda ranks, rank: sum(pieces[rank::ranks]))


def test_pieces_that_are_used_up_stay_where_they_are():
    program = dealt([1102, 144, 145, 147, 40, 49, 42, 45, 44, 46])
    extrapolated = same(*found(program, (2, 4, 8, 16), 64))
    assert any("on 16 ranks" in one for one in extrapolated.assumed)


def test_pieces_that_are_not_used_up_cannot_be_extrapolated_exactly():
    program = dealt([1102, 144, 145, 147, 40, 49, 42, 45, 44, 46, *range(101, 300, 7)])
    with pytest.raises(UserError):
        found(program, (2, 4, 8, 16), 64)


def listed(length, communicators=None):
    """A collective with a length for each partner, of (ranks, rank, partner)."""

    def program(ranks, n=64):
        groups = [range(ranks)] if communicators is None else communicators(ranks)
        mine = {rank: group for group in groups for rank in group}
        lists = [[length(ranks, rank, other) for other in mine[rank]] for rank in range(ranks)]

        def of(rank):
            one = {"do": "alltoall", "list": rank}
            return [one | ({"communicator": 1} if communicators else {}), {"do": "barrier"}]

        more = [{"name": "rows", "groups": [[[g[0], g[-1], 1]] for g in groups]}] if communicators else []
        return fixtures.schedule(of, ranks, lists=lists, communicators=[{"name": "world"}, *more])

    return program


def rows_of_a_grid(ranks):
    _, second = fixtures.balanced(ranks, 2)
    return [range(first, first + second) for first in range(0, ranks, second)]


LENGTHS = {
    "equal": lambda ranks, rank, other: 800,
    "the partner's share": lambda ranks, rank, other: 8 * (64 // ranks + (other < 64 % ranks)),
    "nothing to oneself": lambda ranks, rank, other: 0 if other == rank else 4096 // ranks,
}


@pytest.mark.parametrize("lengths", LENGTHS)
def test_lengths_for_each_partner_follow_laws(lengths):
    extrapolated = same(*found(listed(LENGTHS[lengths]), (2, 3, 4, 8), 12))
    assert not any("their mean" in one for one in extrapolated.assumed)


def test_lengths_for_the_partners_of_a_row():
    same(*found(listed(lambda ranks, rank, other: 8 * (1 + other // 1), rows_of_a_grid), (2, 4, 8, 16), 64))


def test_a_damaged_list_is_seen():
    extrapolated, truth = found(listed(LENGTHS["equal"]), (2, 4, 8), 16)
    document = msgspec.to_builtins(extrapolated.schedule)
    document["lists"] = [[*one[:-1], one[-1] + 8] for one in document["lists"]]
    compared = compare(Schedule.of(document), truth)
    assert set(compared.differing) == {"alltoall"} and compared.equal == 16


def periodic(ranks, n=64):
    """Both neighbours along each of three axes, of which two have two ranks at most in small runs."""
    extents = fixtures.balanced(ranks, 3)
    strides = (extents[1] * extents[2], extents[2], 1)

    def of(rank):
        def there(axis, by):
            at = rank // strides[axis] % extents[axis]
            return rank + ((at + by) % extents[axis] - at) * strides[axis]

        ways = [(axis, by) for axis in range(3) for by in (1, -1)]
        receives = [
            {"do": "ireceive", "peer": there(axis, by), "tag": tag, "bytes": n, "request": tag}
            for tag, (axis, by) in enumerate(ways)
        ]
        sends = [
            {"do": "isend", "peer": there(axis, -by), "tag": tag, "bytes": n, "request": 6 + tag}
            for tag, (axis, by) in enumerate(ways)
        ]
        return [*receives, *sends, *({"do": "wait", "request": one} for one in range(12))]

    return fixtures.schedule(of, ranks)


def test_messages_go_the_opposite_way_of_those_that_they_meet():
    same(*found(periodic, (2, 4, 8, 16), 64))


def cut(ranks, n=64):
    """Periodic neighbours along the axes that a cube of four axes is cut along with the least surface."""
    extents = least_surface(ranks, 4)
    strides = [prod(extents[axis + 1 :]) for axis in range(4)]

    def of(rank):
        found = []
        for axis, extent in enumerate(extents):
            at = rank // strides[axis] % extent
            for tag, by in enumerate((1, -1)):
                to, back = ((at + way) % extent - at for way in (by, -by))
                if extent > 1:
                    found += [
                        {
                            "do": "ireceive",
                            "peer": rank + back * strides[axis],
                            "tag": 2 * axis + tag,
                            "bytes": n,
                            "request": 0,
                        },
                        {"do": "send", "peer": rank + to * strides[axis], "tag": 2 * axis + tag, "bytes": n},
                        {"do": "wait", "request": 0},
                    ]
        return found

    return fixtures.schedule(of, ranks)


def test_an_axis_that_no_trace_divides_is_refused():
    said = refusal(fixtures.runs(cut, (2, 4, 8, 16), n=64), 64, n=64)
    assert "no trace has two ranks along it" in said and "such as 32" in said
    same(*found(cut, (2, 4, 8, 16, 32), 64))
