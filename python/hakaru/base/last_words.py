"""What a program that failed says of it."""

import re

SHOWN = 200  # characters


def last_words(text: str) -> str:
    """The last line before a launcher's frame of dashes; where nothing stands before it, the first paragraph in the frame; "" for none."""
    own, *frame = re.split(r"^-{5,}\s*$", text, maxsplit=2, flags=re.MULTILINE)
    if lines := [line.strip() for line in own.splitlines() if re.search(r"\w", line)]:
        return lines[-1][:SHOWN]
    if frame and (told := frame[0].strip()):
        return " ".join(re.split(r"\n\s*\n", told)[0].split())[:SHOWN]
    return ""
