"""Published experiments, run again: a folder ``studies/<name>`` each, held beside what was published (docs/how-to/studies.md)."""

from hakaru.studies.study import Study, known_studies, load

__all__ = ["Study", "known_studies", "load"]
