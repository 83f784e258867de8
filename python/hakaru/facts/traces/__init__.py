"""Traces: what each rank of one execution did, in order, with times."""
