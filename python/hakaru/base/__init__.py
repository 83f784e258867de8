"""What every room needs and that knows no noun: errors to people, files, paths, intervals, units, tables."""
