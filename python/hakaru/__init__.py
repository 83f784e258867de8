"""hakaru: how long a simulation will take, here, for a bigger problem, on another machine, and why."""

__version__ = "0.1.0"
