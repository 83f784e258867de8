"""What a person can choose for a replay, by name; the first of each is what nobody chose."""

MODELS = ("hierarchy", "loggp", "torus", "fat_tree", "crossbar")  # of the network
WAYS = ("factor", "roofline", "phases", "measured")  # of pricing computing
LINKS = ("first_come", "max_min", "none")  # how messages share links
LIBRARIES = ("openmpi", "mpich")  # whose choice of algorithms for collectives
