"""Traces of MPI programs: building the preloadable tracer, injecting it, and reading what it wrote."""
