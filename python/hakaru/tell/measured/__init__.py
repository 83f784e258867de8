"""``hakaru measure``: from a typed line or a program file to launches, and what they gave."""
