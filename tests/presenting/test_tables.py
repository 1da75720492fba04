"""Tables fit the terminal's width, and cut nothing."""

import pytest


@pytest.mark.parametrize("columns", ["40", "50", "65"])
def test_a_number_is_folded_where_there_is_no_room_and_never_cut(columns, monkeypatch):
    from rich.console import Console

    from discretion.presenting.tables import plain_table

    numbers = ("1,234,567", "98.7654 %", "0.1234567", "7,654,321", "12,345.67", "11.2233 %")
    table = plain_table("column", *("a number of it",) * 6)
    table.add_row("sex", *numbers)
    console = Console(width=int(columns))
    with console.capture() as capture:
        console.print(table)
    lines = [line for line in capture.get().splitlines() if "─" not in line]
    digits = "".join(sorted("".join(c for line in lines for c in line if c.isdigit())))
    assert digits == "".join(sorted("".join(c for number in numbers for c in number if c.isdigit())))


@pytest.mark.parametrize("columns", range(40, 90))
def test_a_number_and_its_unit_stand_on_one_line(columns):
    from rich.console import Console, Group
    from rich.padding import Padding

    from discretion.presenting.tables import plain_words

    sentence = (
        "The file exposes about 1 in 120 people (8, 0.8 %); the budget is 1 %; sick is guessed correctly 52 % of the "
        "time instead of 50 % by about 7 in 1,000 people, of 1,000 people, off by 0.5 points; at ε = 2 nobody is."
    )
    console = Console(width=columns)
    with console.capture() as capture:
        console.print(Group(plain_words(sentence), Padding(plain_words("• " + sentence), (0, 0, 0, 2))))
    for said in ("1 in 120 people", "0.8 %", "1 %", "52 %", "50 %", "7 in 1,000 people", "0.5 points", "ε = 2"):
        assert sum(line.count(said) for line in capture.get().splitlines()) >= 2
    assert capture.get().split() == [*sentence.split(), "•", *sentence.split()]
    assert max(map(len, capture.get().splitlines())) <= columns


def test_what_has_no_room_for_its_unit_is_not_cut():
    from rich.console import Console

    from discretion.presenting.tables import plain_table

    table = plain_table("a", "b")
    table.add_row("1 in 10,000,000", "12,345,678 people")
    console = Console(width=26)
    with console.capture() as capture:
        console.print(table)
    assert "10,000,000" in capture.get()
    assert "12,345,678" in capture.get()
