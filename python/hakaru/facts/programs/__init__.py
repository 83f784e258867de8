"""Programs: what can be run, one file a kind."""

from hakaru.facts.programs.finding import known, listed, named
from hakaru.facts.programs.program import Execution, Program
from hakaru.facts.programs.words import assignments, parse_assignments

__all__ = ["Execution", "Program", "assignments", "known", "listed", "named", "parse_assignments"]
