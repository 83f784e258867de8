"""``hakaru advise``: which layout a program should run in, by predicted time, and why."""
