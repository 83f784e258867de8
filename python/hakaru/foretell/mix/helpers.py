"""Work that is spread over forked processes, which end with who asked."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TypeVar

from hakaru.base.errors import ENVIRONMENT, UserError

Result = TypeVar("Result")


def spread(work: Callable[[int], Result], count: int, workers: int) -> list[Result]:
    """``work(0)`` to ``work(count - 1)``, in this order. Raises UserError where a helper dies; Ctrl-C ends all of them."""
    fork = multiprocessing.get_context("fork")
    found: dict[int, Result] = {}
    processes, answers = [], []
    try:
        with _uninterrupted():
            for number in range(min(workers, count)):
                receiving, sending = fork.Pipe(duplex=False)
                mine = range(number, count, workers)
                process = fork.Process(target=_serve, args=(work, mine, sending), daemon=True)
                process.start()
                processes.append(process)
                answers.append(receiving)
                sending.close()
        while answers:
            for answer in wait(answers):
                found |= _received(answer)
                answers.remove(answer)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.join()
    return [found[number] for number in range(count)]


def _serve(work: Callable[[int], Result], mine: range, sending: Connection) -> None:
    sending.send({number: work(number) for number in mine})


def _received(answer: Connection) -> dict[int, Result]:
    try:
        return answer.recv()
    except EOFError:
        raise UserError(
            "a helper died before its answer",
            "perhaps there was no memory left",
            "try fewer jobs or draws",
            ENVIRONMENT,
        ) from None


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C comes afterwards, and never to the processes that are started inside."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
