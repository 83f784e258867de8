"""Where a trace is: its archive, or the folder that hakaru trace wrote around it."""

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.traces.trace import ANCHOR, Trace


@pytest.mark.parametrize("inside", ["", "archive"])
def test_an_archive_and_the_folder_around_it_are_the_same_trace(inside, tmp_path):
    archive = tmp_path / inside
    archive.mkdir(exist_ok=True)
    (archive / ANCHOR).touch()
    assert Trace.of_archive(tmp_path).path == archive / ANCHOR


def test_a_folder_without_an_archive_is_named(tmp_path):
    with pytest.raises(UserError, match=f"holds no {ANCHOR}"):
        Trace.of_archive(tmp_path)
