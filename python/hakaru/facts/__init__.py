"""The nouns: what a machine, a record, a schedule, a forecast and a program is; each read, written and asked in one place."""
