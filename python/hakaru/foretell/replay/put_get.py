"""PUT and GET, reductions and barriers of a machine whose facts name their parts (``network.put_get``, ``network.collectives``).

Parameters of ``network.put_get`` have the names of MLSim (Hayashi et al. 1995, table 2) and go to the engine as they are; of
``network.collectives.NAME`` there are, on P cells with s bytes (docs/explanation/replay.md, algorithm ``hardware``):

    time + ceil(log2 P) (stage + stage_per_byte s)               of the processor
    s (ceil(log2 P) stage_wire_per_byte + wire_per_byte)         of the network
"""

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents.network import Price, PutGet
from hakaru.foretell.replay.documents.options import Queue
from hakaru.foretell.replay.levels import Told

WAYS = {"message controller": True, "interrupts": False}
PARAMETERS = tuple(name for name in PutGet.__struct_fields__ if name != "hardware")
_PRICES = {
    "time": "hardware_s",
    "stage": "stage_s",
    "stage_per_byte": "stage_s_per_byte",
    "stage_wire_per_byte": "stage_wire_s_per_byte",
    "wire_per_byte": "wire_s_per_byte",
}
QUEUE = {"queue_words": "words", "words_per_command": "words_per_command", "spill_time": "spill_time"}


def put_get(machine: Machine, told: Told) -> PutGet | None:
    """None where the machine does not say. Raises UserError naming what is missing."""
    if not machine.has("network.put_get"):
        return None
    by = machine.find("network.put_get.by")
    if not by or by.value not in WAYS:
        raise UserError(
            f"the machine '{machine.name}' does not say network.put_get.by",
            f"what moves the data is {' or '.join(WAYS)}",
            "add the fact to its file",
        )
    told.fact("network.put_get.by", by)
    times = {}
    for name in PARAMETERS:
        if fact := machine.value("network", "put_get", name):
            told.fact(f"network.put_get.{name}", fact)
            times[name] = float(fact.value)
    if "put_msg_time" not in times:
        raise UserError(
            f"the machine '{machine.name}' does not say network.put_get.put_msg_time",
            "the wire carries a byte of a PUT in it",
            "set it with --set network.put_get.put_msg_time=40ns/B",
        )
    return PutGet(hardware=WAYS[by.value], **times)


def collective_prices(machine: Machine, told: Told) -> dict[str, Price]:
    """Prices of the collectives that the machine has by itself; empty when it has none."""
    prices = {}
    for name in machine.parts("network.collectives"):
        times = {}
        for part, key in _PRICES.items():
            if fact := machine.value("network", "collectives", name, part):
                told.fact(f"network.collectives.{name}.{part}", fact)
                times[key] = float(fact.value)
        prices[name] = Price(algorithm="hardware", **times)
    return prices


def queue(machine: Machine) -> Queue:
    """The option ``queue`` from the machine's facts. Raises UserError naming what is missing."""
    facts = {name: machine.value("network", "put_get", name) for name in QUEUE}
    missing = [name for name, fact in facts.items() if fact is None]
    if missing:
        raise UserError(
            f"the machine '{machine.name}' does not say network.put_get.{missing[0]}",
            "a queue has a length, its commands have one, and an overflow costs time",
            "choose a machine with a message controller",
        )
    words, per_command, spill = (facts[name].value for name in QUEUE)
    return Queue(words=int(words), words_per_command=int(per_command), spill_time=float(spill))
