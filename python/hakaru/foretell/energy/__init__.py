"""Energy of runs that were not made: the power that meters showed, or that a machine file tells, times the time."""
