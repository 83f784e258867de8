"""What cannot be extrapolated, with its place in the program."""

from collections.abc import Sequence

from hakaru.foretell.extrapolate.points import Block


class Refused(Exception):
    """``node``: the operation; ``why``: what was not found."""

    def __init__(self, node: object, why: str, blocks: Sequence[Block] = (), values: object = None):
        super().__init__(why)
        self.node, self.why, self.blocks, self.values = node, why, blocks, values
