from hakaru.base.last_words import last_words

OF_MPIRUN = """Traceback (most recent call last):
ModuleNotFoundError: No module named 'numpy'
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------"""


def test_the_programs_own_words_come_before_the_launchers():
    assert last_words(OF_MPIRUN) == "ModuleNotFoundError: No module named 'numpy'"
    assert last_words("  \n") == ""
    assert last_words("-----\nonly the launcher spoke\n-----") == "only the launcher spoke"
    assert last_words("a\nb c\n-----\n") == "b c" and last_words("--\n") == ""


def test_a_launcher_that_speaks_alone_is_quoted():
    assert last_words(f"no memory\n{'-' * 20}\nmpirun ended\n") == "no memory"
    assert last_words(f"{'-' * 20}\nmpirun ended\n{'-' * 20}") == "mpirun ended"
    slots = f"{'-' * 20}\nNot enough slots for the 8\nthat were asked for:\n\n  ./mycode\n{'-' * 20}\n"
    assert last_words(slots) == "Not enough slots for the 8 that were asked for:"
