"""How far the first and the last core of this host that may be used are from each other now."""

from hakaru.base import processes
from hakaru.facts import native

TOOL = "hakaru_handover"


def handover_s() -> float:
    """How long a write of the one takes to be seen by the other, in s; 0 for one core. Raises UserError where the tool is not built."""
    return float(processes.run([str(native.tool(TOOL))], own_session=False).output)
