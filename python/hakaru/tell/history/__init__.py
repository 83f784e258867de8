"""What ``hakaru compare`` and ``hakaru history`` say: tables, a chart in the terminal, a page."""
