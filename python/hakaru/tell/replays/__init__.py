"""What a replay says."""
