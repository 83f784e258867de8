"""What a trace says."""
