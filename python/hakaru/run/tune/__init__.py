"""``hakaru tune``: settings of the MPI library that make a person's own program faster, or the plain word that none does."""
