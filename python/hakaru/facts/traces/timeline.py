"""What ``hakaru_trace_timeline`` says of a trace: the document schema/timeline.schema.json. Bytes of cells stand in it as base64."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Seconds

NOTHING = 255  # a cell in which nothing is recorded


def _told(kind: Any, meaning: str) -> Any:
    return Annotated[kind, Meta(description=meaning)]


class Row(Strict):
    """A row of the picture: one rank, or several that stand side by side."""

    first_rank: _told(Count, "The first rank of the row.")
    ranks: _told(AtLeastOne, "How many ranks the row stands for.")
    host: _told(str, "Host of the first rank, where the trace names it.")
    time_by_kind: _told(
        dict[str, float],
        "Time in seconds that its ranks spend computing and in calls of each kind, in the time that is shown.",
    )
    waiting_s: _told(
        Seconds,
        "Time in seconds for which its ranks wait for others, which the calls hold too; overlapping waits count once.",
    )


class State(Strict):
    """Something that a rank can be in."""

    name: _told(str, "Name of the call, or computing.")
    kind: _told(str, "Its kind, one of those of time_by_kind.")
    count: _told(Count, "How often it is entered by all ranks.")
    seconds: _told(Seconds, "Time in it of all ranks.")
    longest: _told(
        tuple[tuple[int, float, float], ...],
        "Its longest occurrences as rank, begin in seconds and length in seconds.",
    )


class ShownPhase(Strict):
    """A phase that the program tells."""

    name: _told(str, "Its name; empty for what lies outside of all phases.")
    seconds: _told(Seconds, "Time in it of all ranks, without inner phases.")


class Level(Strict):
    """The picture with so many bins of time: one byte for each bin, row after row, as base64."""

    bins: _told(AtLeastOne, "Bins of a row.")
    states: _told(str, "Number of the state that fills most of the bin; 255 where nothing is recorded.")
    phases: _told(str, "Number of the phase that fills most of the bin; 255 where nothing is recorded.")
    computing: _told(str, "Share of the bin that is computing, 255 for all of it.")
    communicating: _told(str, "Share of the bin in calls that do not wait for others, 255 for all of it.")
    waiting: _told(str, "Share of the bin in which ranks wait for others, 255 for all of it.")


class Singles(Strict):
    """Every call and every stretch of computing, row after row in the order of time, where they are few."""

    counts: _told(tuple[Count, ...], "How many of them each row has.")
    begin_s: _told(str, "When each begins, in seconds, as little-endian numbers of 64 bits in base64.")
    seconds: _told(str, "How long each lasts, as little-endian numbers of 32 bits in base64.")
    states: _told(str, "Number of the state of each, a byte in base64.")
    phases: _told(str, "Number of the phase of each, a byte in base64.")


class Tile(Strict):
    """The messages that are sent in a stretch of time; those that are divided are told again by their parts."""

    level: _told(Count, "How often the whole time was divided by four to get it.")
    from_s: _told(float, "Begin of the stretch in seconds.")
    to_s: _told(float, "End of the stretch in seconds.")
    count: _told(Count, "Messages sent in it.")
    bytes: _told(Count, "Bytes of these messages.")
    single: _told(bool, "Whether each entry is one message; else it sums those from one row to another.")
    divided: _told(bool, "Whether its parts are tiles too.")
    entries: _told(
        tuple[tuple[float, ...], ...],
        "Messages or their sums, the pairs of rows with the most bytes, in the columns that are named; of sums the mean times.",
    )


class Messages(Strict):
    """Messages whose two ends are in the trace, except those inside collectives."""

    count: _told(Count, "How many there are in the time that is shown.")
    bytes: _told(Count, "Bytes of all of them.")
    unmatched_sends: _told(Count, "Sends of the whole trace without their receive.")
    unmatched_receives: _told(Count, "Receives of the whole trace without their send.")
    columns: _told(
        tuple[str, ...],
        "What an entry of a tile holds: rank or row of both ends, times, bytes, tag or count.",
    )
    tiles: _told(tuple[Tile, ...], "Stretches of time, the whole first.")


class LongWait(Strict):
    """One of the longest waits."""

    rank: _told(Count, "Who waited.")
    late_rank: _told(int, "For whom.")
    begin_s: _told(float, "Since when, in seconds.")
    seconds: _told(Seconds, "For how long.")
    call: _told(str, "The call in which it waited.")
    kind: _told(
        Literal["late_sender", "late_receiver", "collective"],
        "Whether for a sender, for a receiver, or at a collective.",
    )


class Histogram(Strict):
    """Values counted by powers of two: bin i holds those from first times 2^i on."""

    first: _told(float, "Where the first bin begins; smaller values are counted there.")
    counts: _told(tuple[Count, ...], "Values in each bin.")
    sums: _told(tuple[float, ...], "Their sum in each bin.")


class Histograms(Strict):
    """Of the messages and waits in the time that is shown."""

    message_bytes: _told(Histogram, "Messages by their bytes.")
    waiting_s: _told(dict[str, Histogram], "Single waits by their seconds, for each kind of wait.")


class ShownPath(Strict):
    """The longest chain of dependences, as far as it lies in the time that is shown."""

    seconds: _told(Seconds, "Its length in the time that is shown.")
    whole: _told(bool, "Whether all its stays are listed, or only the longest.")
    stays: _told(
        tuple[tuple[int, float, float], ...],
        "Stretches on one rank as rank, begin in seconds and end in seconds.",
    )


class Timeline(Strict):
    """Times are seconds after the start of the trace."""

    schema: _told(Literal["hakaru/timeline/1"], "Version of this format.")
    program: _told(str, "Name of the program, where the trace tells it.")
    creator: _told(str, "What wrote the archive.")
    events: _told(Count, "Events of the whole trace.")
    complete: _told(bool, "Whether every rank reached its end.")
    from_s: _told(float, "Begin of the time that is shown, in seconds.")
    to_s: _told(float, "End of the time that is shown, in seconds.")
    ranks: _told(Count, "Ranks of the trace.")
    ranks_per_row: _told(AtLeastOne, "Ranks that share a row.")
    rows: _told(tuple[Row, ...], "Rows of the picture; none where nothing was recorded.")
    states: _told(tuple[State, ...], "States by their number, computing first, then calls by their time.")
    phases: _told(tuple[ShownPhase, ...], "Phases by their number.")
    levels: _told(tuple[Level, ...], "Levels of detail, the coarsest first.")
    pieces: _told(Singles | None, "Single calls, or null where there are too many of them.")
    messages: _told(Messages, "Messages between ranks.")
    longest_waits: _told(tuple[LongWait, ...], "The longest waits, the longest first.")
    histograms: _told(Histograms, "Sizes of messages and lengths of waits.")
    critical_path: _told(ShownPath, "The critical path of the run.")
    warnings: _told(tuple[str, ...], "What makes the trace doubtful.")

    @property
    def length_s(self) -> float:
        return self.to_s - self.from_s


@dataclass(frozen=True)
class Window:
    """The part of a trace that is shown, in s after its start; None: where it begins or ends."""

    begin_s: float | None = None
    end_s: float | None = None

    @property
    def words(self) -> list[str]:
        """Options of the tool."""
        given = (("--from", self.begin_s), ("--to", self.end_s))
        return [word for option, value in given if value is not None for word in (option, repr(value))]


def schema() -> dict[str, Any]:
    """The JSON Schema of the document; ``scripts/timeline_schema.py`` writes it."""
    parts = msgspec.json.schema(Timeline)["$defs"]
    whole = parts.pop("Timeline")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "hakaru/timeline/1",
        "title": "hakaru_trace_timeline: what each rank of a trace does over time, by levels of detail",
    }
    parts = {
        name: {key: value for key, value in node.items() if key != "title"} for name, node in parts.items()
    }
    return (
        head
        | {key: value for key, value in whole.items() if key not in ("title", "description")}
        | {"$defs": parts}
    )
