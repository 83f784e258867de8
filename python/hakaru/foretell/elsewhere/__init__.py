"""Computing that was measured on one machine, carried to another."""
