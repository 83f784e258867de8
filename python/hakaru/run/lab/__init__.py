"""A cluster on one machine: network namespaces as hosts, joined by a switch that adds latency and limits the rate."""

from hakaru.run.lab.cluster import Cluster
from hakaru.run.lab.plan import Settings

__all__ = ["Cluster", "Settings"]
