"""What will spoil measurements on this machine, and what to do about it. A check is a file in ``checks/``."""

from hakaru.run.doctor.diagnosis import Diagnosis, diagnose
from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

__all__ = ["Diagnosis", "Finding", "System", "bad", "diagnose", "fine", "unavailable"]
