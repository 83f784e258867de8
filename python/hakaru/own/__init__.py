"""hakaru itself: setting it up, building it, testing it, measuring it."""
