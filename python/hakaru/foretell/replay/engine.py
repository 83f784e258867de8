"""Runs the replay engine ``hakaru_replay`` and keeps what it said, so that a replay that was made once is not made again."""

import hashlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts import native
from hakaru.foretell.replay import served
from hakaru.foretell.replay.documents.network import FileSystem, Network, ideal
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.documents.result import Check, Result
from hakaru.foretell.replay.sends import Change

TOOL = "hakaru_replay"


@dataclass(frozen=True)
class Engine:
    """The built tool; ``kept`` is the folder of results that were made before, or None."""

    path: Path
    kept: Path | None = None

    def replay(
        self,
        source: Path,
        network: Network,
        options: Options,
        only: str | None = None,
        archive: Path | None = None,
        sends: Change | None = None,
        as_traced: bool = False,
    ) -> Result:
        """Of the whole input or of one phase ``only``; ``archive``: the folder of an OTF2 archive that is written of it;
        ``sends``: what blocking sends become; ``as_traced``: what the tracer took counts as computing.

        Raises UserError with the tool's own words and exit code.
        """
        words = [
            *(["--only", only] if only else []),
            *(sends.words() if sends else []),
            *(["--as-traced"] if as_traced else []),
        ]
        place = None if archive else self._place(source, network, options, words)
        if place and place.is_file():
            try:
                return Result.parse(place.read_bytes())
            except (ValueError, UserError):
                place.unlink(missing_ok=True)
        if archive:
            result = self._recorded(source, network, options, [*words, "--otf2", str(archive)])
        else:
            result = self._served(source, network, options, words)
        if place:
            write_json_atomically(place, result.as_dict())
        return result

    def _served(self, source: Path, network: Network, options: Options, words: list[str]) -> Result:
        """By an engine that has read this input, perhaps for another question."""
        command = [str(self.path), str(source), *words, "--serve"]
        question = {"network": network.as_dict(), "options": options.as_dict()}
        try:
            key = (*_state(self.path), *(_state(source) if source.exists() else [str(source)]), *words)
            return self._parsed(served.ask(key, command, question), Result)
        except OSError as error:
            raise self._cannot_start(error) from None
        except served.Ended as ended:
            raise _failure(ended.status, ended.said) from None

    def _recorded(self, source: Path, network: Network, options: Options, words: list[str]) -> Result:
        with tempfile.TemporaryDirectory(prefix="hakaru-replay-") as folder:
            files = {}
            for name, document in (("network", network.as_dict()), ("options", options.as_dict())):
                files[name] = Path(folder) / f"{name}.json"
                files[name].write_text(json.dumps(document, allow_nan=False))
            documents = ["--network", str(files["network"]), "--options", str(files["options"]), "--json"]
            return self._parsed(self._run([str(source), *documents, *words]), Result)

    def check(self, source: Path) -> Check:
        """Whether the input can progress. Raises UserError naming the blocked ranks when it cannot."""
        return self._parsed(self._run([str(source), "--check", "--json"]), Check)

    def write_schedule(self, source: Path, output: Path) -> None:
        """What a trace says as a schedule. Raises UserError where a rank of it did not reach its end."""
        self._run([str(source), "--write", str(output)])

    def ranks(self, source: Path) -> int:
        """Number of ranks of an input, from a replay in which nothing takes time."""
        network = ideal(FileSystem(operation_s=0.0, total_bytes_per_s=0.0))
        return self.replay(source, network, Options(compute_factor=0.0)).ranks

    def _parsed(self, text: str, kind: type[Result] | type[Check]):
        """What the tool printed."""
        try:
            return kind.parse(text)
        except ValueError:
            raise UserError(
                f"{TOOL} did not print a result",
                text[:200].strip() or "it printed nothing",
                "build it again",
                ENVIRONMENT,
            ) from None

    def _run(self, words: list[str]) -> str:
        try:
            done = subprocess.run([str(self.path), *words], capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise self._cannot_start(error) from None
        if done.returncode == 0:
            return done.stdout
        raise _failure(done.returncode, done.stderr)

    def _cannot_start(self, error: OSError) -> UserError:
        return UserError(
            f"cannot start {self.path}",
            str(error.strerror),
            "start through ./hakaru, which builds it",
            ENVIRONMENT,
        )

    def _place(self, source: Path, network: Network, options: Options, words: list[str]) -> Path | None:
        """Where the result of exactly this question is kept: same input files, same tool, same documents."""
        if self.kept is None:
            return None
        asked = [network.as_dict(), options.as_dict(), *words]
        text = json.dumps([_state(self.path), _input_state(source), *asked], sort_keys=True)
        return self.kept / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"


def _failure(status: int, errors: str) -> UserError:
    """In the tool's own words, where it said something."""
    said = errors.strip().removeprefix(f"{TOOL}: ")
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return UserError(said or f"{TOOL} ended with {how} and said nothing", exit_code=served.exit_code(status))


def _state(path: Path) -> list[Any]:
    stat = path.stat()
    return [str(path.resolve()), stat.st_size, stat.st_mtime_ns]


def _input_state(source: Path) -> list[Any]:
    """A schedule by its content, since it may be in a temporary folder; an archive by the state of all its files."""
    if source.suffix != ".otf2":
        return [hashlib.sha256(source.read_bytes()).hexdigest()]
    files = [source, *sorted(path for path in source.parent.rglob("*") if path.is_file() and path != source)]
    return [_state(path) for path in files]


def engine(kept: Path | None) -> Engine:
    """The built engine. Raises UserError when it was not built."""
    path = native.tool(TOOL)
    if not path.is_file():
        raise UserError(
            f"hakaru's tool '{TOOL}' is not built",
            f"{path} is missing",
            "start through ./hakaru, which builds it",
            ENVIRONMENT,
        )
    return Engine(path, kept)
