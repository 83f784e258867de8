"""Files that are written by several at once."""

import json
import threading

from hakaru.base.files import write_atomically


def test_two_threads_write_one_file_at_once(tmp_path):
    """Each its own temporary file; the last one stands, whole, and nothing else is left."""
    path, both, said = tmp_path / "one.json", threading.Barrier(2), []

    def write(text: str) -> None:
        def fill(file) -> None:
            both.wait(10.0)
            file.write(text.encode())

        try:
            write_atomically(path, fill)
        except Exception as error:
            said.append(error)

    threads = [threading.Thread(target=write, args=(f'"{name * 9999}"',)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not said
    assert len(set(json.loads(path.read_text()))) == 1
    assert list(tmp_path.iterdir()) == [path]
