"""Tables fit the terminal's width, and cut nothing."""

import pytest


@pytest.mark.parametrize("columns", ["40", "50", "65"])
def test_a_number_is_folded_where_there_is_no_room_and_never_cut(columns, monkeypatch):
    from rich.console import Console

    from tacit.presenting.tables import plain_table

    numbers = ("1,234,567", "98.7654 %", "0.1234567", "7,654,321", "12,345.67", "11.2233 %")
    table = plain_table("column", *("a number of it",) * 6)
    table.add_row("sex", *numbers)
    console = Console(width=int(columns))
    with console.capture() as capture:
        console.print(table)
    lines = [line for line in capture.get().splitlines() if "─" not in line]
    digits = "".join(sorted("".join(c for line in lines for c in line if c.isdigit())))
    assert digits == "".join(sorted("".join(c for number in numbers for c in number if c.isdigit())))
