"""Kits: hakaru's probes and tracer as plain sources for machines where nothing can be installed, and what comes home from there."""
