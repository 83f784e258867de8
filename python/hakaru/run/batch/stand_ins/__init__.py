"""Stand-ins for batch systems that are not here, for tests: commands that answer as the manuals say, and run scripts one after another."""
