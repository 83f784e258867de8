"""Replays of traces and schedules on the facts of a machine, and what would change if a fact were another."""
