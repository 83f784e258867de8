"""Tables in a terminal."""

from collections.abc import Sequence


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int] = (),
    wrap: bool = True,
    whole: Sequence[int] = (0,),
) -> None:
    """Prints rows under column names; columns whose index is in ``right`` are aligned to the right.

    Cells are folded to the terminal's width, but for those of ``whole`` columns that need no more than half of it, and for none without
    ``wrap``."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for index, name in enumerate(columns):
        longest = max((len(str(row[index])) for row in rows), default=0)
        table.add_column(
            name,
            justify="right" if index in right else "left",
            overflow="fold",
            no_wrap=not wrap or (index in whole and longest <= console.width // 2),
        )
    for row in rows:
        table.add_row(*[Text(str(cell)) for cell in row])
    console.print(table)
