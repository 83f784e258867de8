"""Set-up on first use: system packages, Python environment, native programs. Standard library only."""

launched = False  # true in a process that ./hakaru started (hakaru.start)
