"""How wrong replays are: programs traced here, replayed with the facts of a lab, and run on that lab for real."""
