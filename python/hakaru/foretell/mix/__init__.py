"""Many jobs at once: how long a machine takes for a mix of them, from the forecasts of each."""
