"""Campaigns: programs x sizes x layouts x repeats, run interleaved, resumed after an interruption."""

from hakaru.run.campaign.plan import Layout, Plan, Point, load_plan
from hakaru.run.campaign.runner import Outcome, run_plan

__all__ = ["Layout", "Outcome", "Plan", "Point", "load_plan", "run_plan"]
