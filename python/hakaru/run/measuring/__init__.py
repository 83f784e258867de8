"""Launches of anybody's program: started, watched, timed, traced in a share of them, and recorded."""
