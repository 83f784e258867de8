"""The power of the node as its management controller tells it: ``ipmitool dcmi power reading`` (DCMI 1.5, section 6.6.1)."""

import re

from hakaru.run.power.meter import Found, Meter, Place, printed, sorted_out

TOOL = "ipmitool"
WORDS = ("dcmi", "power", "reading")
DEVICES = ("dev/ipmi0", "dev/ipmi/0", "dev/ipmidev/0")
NOW = re.compile(r"Instantaneous power reading:\s*(\d+(?:\.\d+)?)\s*Watts")
ACTIVE = re.compile(r"Power reading state is:\s*(\w+)")
STEP_S = 2.0  # controllers measure about once a second, and each question costs the node some work


def find(place: Place) -> Found:
    tool = place.which(TOOL)
    if tool is None:
        return Found(why_not=f"no {TOOL} on PATH", absent=True)
    if not any((place.root / device).exists() for device in DEVICES):
        return Found(why_not=f"no /{DEVICES[0]} of a management controller", absent=True)
    meter = Meter("node", "ipmi dcmi", "power", lambda: watts(printed([tool, *WORDS])), STEP_S)
    return sorted_out([meter], f"/{DEVICES[0]} is usually open to administrators only")


def watts(answer: str) -> float:
    """Raises ValueError for an answer without a power, or of a controller that does not measure."""
    found, state = NOW.search(answer), ACTIVE.search(answer)
    if state and state[1] != "activated":
        raise ValueError(f"the controller says that power reading is {state[1]}")
    if not found:
        raise ValueError("the controller says no power")
    return float(found[1])
