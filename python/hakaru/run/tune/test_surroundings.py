from hakaru.run.tune import surroundings
from hakaru.run.tune.settings import Setting, combined
from hakaru.run.tune.surroundings import Program, rows

ELF = b"\x7fELF"


def groups(library, version, program):
    return {row.group for row in rows(library, version, program)}


def test_rows_are_for_the_programs_that_they_can_matter_to(monkeypatch):
    plain = Program(ELF, 1, 2, (2, 36))
    monkeypatch.setattr(surroundings.platform, "machine", lambda: "x86_64")
    assert groups("openmpi", 4, plain) == {"transport", "waiting", "pages", "copies"}
    monkeypatch.setattr(surroundings.platform, "machine", lambda: "aarch64")
    assert groups("openmpi", 4, plain) == {"transport", "waiting", "pages"}
    threaded = Program(ELF + b"GOMP_parallel", 4, 1, (2, 31))
    assert groups("openmpi", 4, threaded) == {"threads"}
    assert groups("mpich", 4, Program(ELF + b"MPI_File_write", 1, 2, (2, 31))) == {"transport"}
    assert "files" in groups("openmpi", 4, Program(ELF + b"MPI_File_write", 1, 2, (2, 31)))


def test_tunables_of_the_c_library_are_set_together():
    pages, copies = (
        Setting(row.group, row.name, tuple(row.variables.items()))
        for row in surroundings.ROWS
        if row.group in ("pages", "copies")
    )
    assert combined([pages, copies]).environment == (
        ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.cpu.x86_rep_movsb_threshold=0x40000000"),
    )


def test_settings_of_another_version_are_left_out():
    old, new = (rows("openmpi", version, Program(ELF, 1, 2, (2, 36))) for version in (4, 5))
    assert any("vader" in name for row in old for name in row.variables)
    assert not any("vader" in name for row in new for name in row.variables)
