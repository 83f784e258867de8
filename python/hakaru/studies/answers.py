"""What ``hakaru study`` prints."""

from collections.abc import Sequence
from pathlib import Path

from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.studies.result import Result
from hakaru.studies.study import Study


def listing(found: Sequence[Study], as_json: bool) -> None:
    if as_json:
        print_json([{"name": one.name, "title": one.title, "publication": one.publication} for one in found])
        return
    print_table("Studies", ["name", "question"], [[one.name, one.question] for one in found])


def answer(asked: Study, result: Result, page: Path, as_json: bool) -> None:
    if as_json:
        print_json(result.as_dict(asked.name) | {"page": str(page)})
        return
    for section in result.sections:
        if section.lines:
            right = range(1, len(section.columns))
            print_table(f"{asked.title}: {section.title}", section.columns, section.lines, right=tuple(right))
            print()
    for line in result.summary:
        print(line)
    print(f"page: {page}")
