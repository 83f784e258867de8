"""Campaigns as jobs of batch systems: what a site is like, one file a batch system, and what was submitted, followed and collected."""
