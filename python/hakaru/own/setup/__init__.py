"""Set-up on first use: system packages, Python environment, native programs. Standard library only."""

from hakaru.own.setup.build import ensure_built
from hakaru.own.setup.environment import ensure_environment

__all__ = ["ensure_built", "ensure_environment"]
