"""Records over time: which launches a question is about, two of its sides compared, a series of dates and its changes."""
