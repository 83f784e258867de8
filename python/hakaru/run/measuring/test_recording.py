"""What a record says of the files that a launch used."""

from hakaru.facts.traces.file_use import FileUse, Hole, Places, UsedFile
from hakaru.run.measuring.recording import _files

PLACES = Places(bytes=10, unknown=(), twice=(), twice_bytes=0, holes=(Hole(first=0, last=5),), hole_bytes=6)


def used(path) -> UsedFile:
    return UsedFile(
        path=str(path),
        type="regular",
        calls=2,
        bytes_read=0,
        bytes_written=4,
        seconds=1e-6,
        processes=1,
        uses=(),
        places=PLACES,
    )


def test_holes_of_scratch_files_that_are_gone_are_nobodys_loss(tmp_path):
    (tmp_path / "kept").write_bytes(b"0123456789")
    files = (used(tmp_path / "kept"), used(tmp_path / "scratch"), used("named-from-the-launch"))
    told = _files(FileUse(schema="hakaru/files/1", processes=(), files=files, warnings=()))
    assert [one["hole_bytes"] for one in told] == [6, 0, 6]
