"""A timeline shows what the summary of its trace counts; its page is whole, offline and escapes names."""

import base64
import gzip
import hashlib
import json
import re

import jsonschema
import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts.traces import timeline as documents
from hakaru.facts.traces.summary import TraceSummary
from hakaru.facts.traces.timeline import Timeline, Window
from hakaru.facts.traces.trace import Trace
from hakaru.tell.traces.timeline import fixtures, still
from hakaru.tell.traces.timeline.section import of_archive, packed, policy_of, script, section
from hakaru.tell.traces.trace_page import of_trace, page


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Trace:
    return fixtures.ring(tmp_path_factory.mktemp("ring"))


@pytest.fixture(scope="module")
def found(trace) -> Timeline:
    return msgspec.json.decode(trace.timeline(), type=Timeline)


@pytest.fixture(scope="module")
def text(trace) -> str:
    return page(trace.summary(), of_trace("t", "t/archive", of_archive(trace)))


def difference(shown: Timeline, summary: TraceSummary) -> float:
    """The most that a kind's time of a rank differs, s; rows are single ranks."""
    return max(
        abs(row.time_by_kind[kind] - rank.time_by_kind[kind])
        for row, rank in zip(shown.rows, summary.ranks, strict=True)
        for kind in rank.time_by_kind
        if kind != "environment"
    )


def test_rows_add_up_to_the_summary(trace, found):
    summary = trace.summary()
    assert difference(found, summary) < 1e-12
    first = found.rows[0]
    wrong = msgspec.structs.replace(first, time_by_kind=first.time_by_kind | {"compute": 0.0})
    damaged = msgspec.structs.replace(found, rows=(wrong, *found.rows[1:]))
    assert difference(damaged, summary) > 1e-4


def test_calls_messages_and_path_are_the_summarys(trace, found):
    summary = trace.summary()
    counts = {state.name: state.count for state in found.states}
    assert {call.name: call.calls for call in summary.calls}.items() <= counts.items()
    assert found.messages.count == sum(row[2] for row in summary.matrix.rows) == 4 * 12
    assert found.messages.bytes == sum(summary.matrix.sent.values())
    assert found.critical_path.seconds == pytest.approx(summary.critical_path.seconds, rel=1e-9)
    sizes = found.histograms.message_bytes
    assert sum(sizes.counts) == found.messages.count and sum(sizes.sums) == found.messages.bytes


def test_the_type_is_the_schema():
    kept = json.loads((root() / "schema" / "timeline.schema.json").read_text())
    assert kept == documents.schema(), "write it again: PYTHONPATH=python python scripts/timeline_schema.py"


def test_documents_are_as_the_schema_says(trace):
    document = json.loads(trace.timeline())
    validator = jsonschema.Draft202012Validator(documents.schema())
    assert not list(validator.iter_errors(document))
    document["rows"][0]["ranks"] = 0
    assert list(validator.iter_errors(document))


def test_the_page_is_offline_and_runs_only_its_own_script(text):
    outside = text.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "http" not in outside and re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', text) == []
    policy = re.search(r"script-src '(sha256-[^']+)'", text)[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(scripts) == 1 and policy_of(scripts[0]) == f"'{policy}'"
    digest = hashlib.sha256((scripts[0] + " ").encode()).digest()
    assert base64.b64encode(digest).decode() not in policy
    assert "</script" not in script()


def test_names_cannot_leave_their_place(text):
    assert fixtures.NASTY not in text
    assert "&lt;/script&gt;&lt;b&gt;" in text
    assert text.count("<script") == 2 and text.count("</script>") == 2


def test_the_page_holds_the_document(trace, text):
    kept = re.search(r'<script id="timeline-data"[^>]*>([^<]*)</script>', text)[1]
    assert json.loads(gzip.decompress(base64.b64decode(kept))) == json.loads(trace.timeline())
    assert packed(b"{}") == packed(b"{}")


def test_without_scripts_there_is_a_picture(text, found):
    assert text.count('<svg class="still"') == 1
    drawn = still.draw(found)
    assert drawn.count("<path") >= 2 and "halo" in drawn
    nothing = msgspec.structs.replace(found, levels=())
    assert still.draw(nothing) is None


def test_an_empty_trace_says_so(trace, found):
    none = documents.Histogram(first=1.0, counts=(), sums=())
    empty = msgspec.structs.replace(
        found,
        rows=(),
        levels=(),
        pieces=None,
        longest_waits=(),
        histograms=documents.Histograms(message_bytes=none, waiting_s={"collective": none}),
    )
    shown = section(empty, b"{}")
    assert shown.note == "Nothing was recorded." and shown.still is None and shown.charts == ()
    assert "There is nothing to draw." in page(trace.summary(), of_trace("t", "t/archive", shown))


def test_many_rows_are_drawn_together(tmp_path):
    found = msgspec.json.decode(fixtures.halo(tmp_path, ranks=1600, steps=1).timeline(), type=Timeline)
    assert found.ranks_per_row == 2 and len(found.rows) == 800
    assert sum(row.ranks for row in found.rows) == 1600
    assert len(re.findall(r">rank \d+<", still.draw(found))) <= still.MOST_ROWS


def spent(shown: Timeline) -> float:
    return sum(sum(row.time_by_kind.values()) for row in shown.rows)


def test_a_window_shows_its_time_alone(trace, found):
    middle = (found.from_s + found.to_s) / 2
    part = msgspec.json.decode(trace.timeline(Window(begin_s=middle)), type=Timeline)
    assert part.from_s == pytest.approx(middle) and part.to_s == found.to_s
    assert 0 < part.messages.count < found.messages.count
    before = msgspec.json.decode(trace.timeline(Window(end_s=middle)), type=Timeline)
    assert spent(before) + spent(part) == pytest.approx(spent(found), rel=1e-9)
    with pytest.raises(UserError, match="nothing of the trace lies in that time"):
        trace.timeline(Window(begin_s=1e3))


def test_one_rank_and_no_message(tmp_path):
    one = fixtures.replayed(tmp_path, "--generate", "barriers:ranks=1,times=3")
    assert page(one.summary(), of_trace("one", "one", of_archive(one)))
