"""Batch systems: one file each (Slurm, PBS, PJM, NQSV), found by scanning this folder."""
