"""Gathered and scattered daemons of one share, with runs whose loss is known in closed form."""

import math

import pytest

from hakaru.studies import daemons
from hakaru.studies.daemons import GATHERED, MANNERS, RANDOM, SCATTERED

SHARE, LENGTH_S = 0.0025, 1e-3


def mean_share(noise):
    """Of computing alone, in the mean."""
    if noise.kind == "periodic":
        return noise.detour_s / (noise.period_s - noise.detour_s)
    return sum(one.rate_per_s * one.detour_s for one in noise.detours)


def alone(noise):
    """A node by itself."""
    return 100.0 * (1.0 + (mean_share(noise) if noise else 0.0))


def in_step(nodes, step_s=1e-3):
    """Nodes that wait for each other after every step: a detour of any holds up all; of those at the same time one counts."""

    def timed(noise):
        if noise is None:
            return 1.0
        if noise.together:
            return 1.0 + mean_share(noise)
        if noise.kind == "periodic":
            return (1.0 - noise.detour_s / noise.period_s) ** -nodes
        (one,) = noise.detours
        return 1.0 + (1.0 - math.exp(-nodes * one.rate_per_s * step_s)) * one.detour_s / step_s

    return timed


def lost(name, timed, seeds=(1,), part=1.0):
    noises = daemons.noises(LENGTH_S, SHARE, seeds, part)
    return daemons.lost(name, timed(None), [timed(one) for one in noises])


def test_one_node_loses_the_share_by_both():
    found = lost("one", alone, (1, 2))
    assert [found.mean(manner) for manner in MANNERS] == pytest.approx([SHARE] * 3)
    assert [row.id for row in found.rows()] == ["one/random", "one/scattered", "one/gathered"]


def test_a_rank_of_a_node_meets_its_part_but_gathered_ones_hold_up_all():
    found = lost("part", alone, part=0.25)
    assert [found.mean(manner) for manner in MANNERS] == pytest.approx([SHARE / 4, SHARE / 4, SHARE])


@pytest.mark.parametrize("nodes", [64, 4096])
def test_nodes_in_step_lose_more_when_scattered(nodes):
    found = lost("step", in_step(nodes))
    assert found.mean(GATHERED) == pytest.approx(SHARE)
    assert found.mean(RANDOM) == pytest.approx(1.0 - math.exp(-nodes * SHARE), rel=1e-9)
    assert found.mean(SCATTERED) == pytest.approx((1.0 + SHARE) ** nodes - 1.0)
    assert found.mean(SCATTERED) > found.mean(RANDOM) > 10 * SHARE


def test_every_seed_is_asked_and_told():
    asked = []

    def timed(noise):
        asked.append(noise)
        return 1.0 if noise is None else 1.0 + 0.01 * noise.seed

    found = lost("seeds", timed, (1, 2, 3))
    assert [one.seed for one in asked[1:]] == 3 * [1, 2, 3] and asked[0] is None
    assert found.told(GATHERED) == "2.00 % (1.00 to 3.00)"


def test_manners_are_not_taken_for_each_other():
    found = daemons.lost("order", 1.0, [1.1, 1.3, 2.0, 4.0, 5.0, 5.0])
    assert [found.mean(manner) for manner in MANNERS] == pytest.approx([0.2, 2.0, 4.0])
    assert daemons.lost("nothing", 0.0, [1.0] * 3).mean(SCATTERED) == 0.0
