"""A document says what a terminal shows, whole."""

from rich.padding import Padding
from rich.text import Text

from discretion.presenting.tables import plain_table, with_rest
from discretion.presenting.views.document import Bullets, Grid
from discretion.presenting.views.from_rich import as_blocks


def test_points_next_to_each_other_are_one_list_and_others_are_their_own():
    printed = [Text("• a"), Padding(Text("• b"), (0, 0, 0, 2)), Text("c"), Text(""), Text("• d")]
    assert as_blocks(printed) == (Bullets(("a", "b")), "c", Bullets(("d",)))


def test_a_table_keeps_its_heads_rows_and_what_it_does_not_show():
    table = plain_table("column", "share")
    table.add_row("sex", "1 %")
    table.add_row(Text("race", "bold"), "2 %", style="bold")
    expected = Grid(
        ("column", "share"), (("sex", "1 %"), ("race", "2 %")), frozenset({"column"}), "and 3 more, in --json"
    )
    assert as_blocks([with_rest(table, 5)]) == (expected,)
