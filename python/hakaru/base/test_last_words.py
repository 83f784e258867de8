from hakaru.tell.measured.display import last_words

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
