"""What every rank of a program does, in order, as a file."""
