"""What is said of extrapolated schedules."""
