"""Replay engines that have read an input and wait for questions about it (``hakaru_replay --serve``): reading a trace takes longer than to
replay it once."""

import atexit
import json
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hakaru.base.errors import ENVIRONMENT, UserError

MOST_IDLE = max(4, len(os.sched_getaffinity(0)))  # each holds its input in memory


def exit_code(status: int) -> int:
    """Ours, of the tool's."""
    return status if status in (2, 3, 4) else ENVIRONMENT


class Ended(Exception):
    """The engine ended instead of answering; ``status`` is its exit status, ``said`` what it wrote."""

    def __init__(self, status: int, said: str):
        super().__init__(said)
        self.status, self.said = status, said


class _Engine:
    def __init__(self, command: Sequence[str]):
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def ask(self, question: str) -> str:
        """One line for one line. Raises Ended."""
        process = self.process
        assert process.stdin and process.stdout and process.stderr
        answer = ""
        with suppress(BrokenPipeError):
            process.stdin.write(question + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        if not answer.endswith("\n"):
            said = process.stderr.read()
            raise Ended(self.end(), said)
        return answer

    def end(self) -> int:
        """Its exit status; it ends by itself when no question can come any more."""
        process = self.process
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        try:
            return process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.end()


_idle: list[tuple[tuple, _Engine]] = []  # the one that was used last at the end
_lock = threading.Lock()


@contextmanager
def _one(key: tuple, command: Sequence[str]) -> Iterator[_Engine]:
    """An engine that nobody else asks meanwhile. One that failed or was interrupted is not used again."""
    with _lock:
        found = next((entry for entry in reversed(_idle) if entry[0] == key), None)
        if found:
            _idle.remove(found)
    engine = found[1] if found else _Engine(command)
    try:
        yield engine
    except BaseException:
        engine.kill()
        raise
    with _lock:
        _idle.append((key, engine))
        late = [_idle.pop(0)[1] for _ in range(len(_idle) - MOST_IDLE)]
    for one in late:
        one.end()


def ask(key: tuple, command: Sequence[str], question: dict) -> str:
    """The answer of the engine of this key, which ``command`` starts where none waits. Raises Ended; UserError where a question is refused;
    OSError where none can be started."""
    text = json.dumps(question, allow_nan=False)
    with _one(key, command) as engine:
        answer = engine.ask(text)
    told = json.loads(answer)
    if "problem" in told:
        raise UserError(told["problem"], exit_code=exit_code(told["code"]))
    return answer


def close() -> None:
    """Ends all that wait."""
    with _lock:
        waiting = [engine for _, engine in _idle]
        _idle.clear()
    for engine in waiting:
        engine.end()


atexit.register(close)
