"""One file per check: ``title`` and ``check(system) -> Finding``. Adding a file adds a check."""
