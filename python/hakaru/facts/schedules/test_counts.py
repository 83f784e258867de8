"""Communication counted in schedules equals the table that they were made for."""

import pytest

from hakaru.facts.schedules import Schedule, counts
from hakaru.studies.fixtures import table_five


def count(document):
    return counts.count(Schedule.of(document))


def test_means_are_over_all_ranks_and_lists_are_strides():
    schedule = table_five("matmul", 4)
    schedule["lists"] = [[0, 0], [0, 5]]
    schedule["streams"] = [
        {"ranks": [[0, 0, 1]], "operations": [{"do": "put", "peer": 1, "bytes": 100, "list": 1}]},
        {
            "ranks": [[1, 3, 1]],
            "operations": [{"do": "put", "peer": 0, "bytes": 20, "list": 0}, {"do": "barrier"}],
        },
    ]
    found = count(schedule)
    assert (found["puts"], found["put"], found["sync"]) == (0.25, 0.75, 0.75)
    assert found["message_size"] == pytest.approx((100 + 3 * 20) / 4)


def test_threads_count_with_their_rank():
    schedule = table_five("matmul", 4)
    thread = {"do": "fork", "request": 0, "operations": [{"do": "barrier"}, {"do": "barrier"}]}
    repeated = {"do": "repeat", "times": 3, "operations": [thread, {"do": "wait", "request": 0}]}
    schedule["streams"] = [{"ranks": [[0, 3, 1]], "operations": [repeated]}]
    assert count(schedule)["sync"] == 6


def test_only_the_timed_part_counts():
    schedule = table_five("scg", 4)
    inside = schedule["streams"][0]["operations"]
    schedule["phases"] = [{"name": "repetition", "kind": "compute"}]
    marks = [{"do": word, "phase": "repetition"} for word in ("begin", "end")]
    before = count(schedule)
    schedule["streams"][0]["operations"] = [{"do": "barrier"}, marks[0], *inside, marks[1], {"do": "barrier"}]
    assert count(schedule) == before
