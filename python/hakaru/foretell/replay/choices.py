"""What a person can choose for a replay, by name; the first of each is what nobody chose."""

from hakaru.base.paths import root

NETWORKS = root() / "native" / "replay" / "networks"  # a folder each


def _models(usual: str = "hierarchy") -> tuple[str, ...]:
    return (usual, *sorted({path.parent.name for path in NETWORKS.glob("*/*.cpp")} - {usual}))


MODELS = _models()  # of the network
WAYS = ("factor", "roofline", "phases", "measured", "carried")  # of pricing computing
LINKS = ("first_come", "max_min", "none")  # how messages share links
SENDS = ("nonblocking", "persistent")  # what blocking sends become
LIBRARIES = ("openmpi", "mpich")  # whose choice of algorithms for collectives
