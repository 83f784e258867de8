"""Meters of power and energy: a kind is one file, a launch is read before, during and after."""
