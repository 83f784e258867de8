"""Algorithms of collectives: the table of the replay engine, with what MPI libraries call them.

A row is written once, in ``native/replay/engine/collectives``; Python reads it from the engine's program.
"""

import functools
import subprocess

import msgspec

from hakaru.facts import native
from hakaru.facts.strict import Strict

TOOL = "hakaru_replay"


class Setting(Strict):
    """A value of Open MPI's ``coll_tuned_<collective>_algorithm``, and its name for it."""

    number: int
    name: str


class Algorithm(Strict):
    """``mpi_name``: of the collective in settings of MPI libraries. ``mpich``: value of ``MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM``."""

    collective: str
    mpi_name: str
    name: str
    about: str
    openmpi: tuple[Setting, ...]
    mpich: str | None


@functools.cache
def algorithms() -> tuple[Algorithm, ...]:
    """All of them, by collective. Raises UserError when the engine is not built."""
    told = subprocess.run([native.tool(TOOL), "--algorithms"], capture_output=True, check=True, timeout=60)
    return msgspec.json.decode(told.stdout, type=tuple[Algorithm, ...])
