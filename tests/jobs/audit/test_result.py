"""A set of columns is called by names as long as there is room for them, and can be told apart beyond."""

from dataclasses import replace

from rich.console import Console

from discretion.jobs.audit.result import SetNames
from discretion.presenting.names import among, briefly
from discretion.presenting.views.result_views import markdown as to_markdown, page as to_html
from discretion.presenting.views.terminal import to_text
from jobs.audit import samples

WHOLE = tuple(f"c{i}" for i in range(20))


def names_of(*selected):
    found = samples.usual()
    whole = samples.released(*WHOLE, exposed=1000)
    released = tuple(samples.released(*columns, exposed=1) for columns in selected)
    return SetNames(replace(found, sets=replace(found.sets, whole=whole), selected=released, certified_selection=()))


def test_few_columns_are_named_and_of_nearly_all_those_that_are_missing():
    names = names_of()
    assert names.of(WHOLE[:6]) == "c0, c1, c2, c3, c4, c5"
    assert names.of(WHOLE[1:]) == "all but c0"
    assert names.of(WHOLE) == "all 20 columns"
    assert names.counted == ()


def test_sets_of_which_only_the_number_of_columns_is_said_are_counted():
    names = names_of(WHOLE[:10], WHOLE[:3], WHOLE[5:15])
    assert names.counted == (WHOLE[:10], WHOLE[5:15])
    assert [names.of(columns) for columns in names.counted] == ["10 columns (set 1)", "10 columns (set 2)"]
    assert names.of(WHOLE[6:16]) == "10 columns"


def test_all_faces_call_a_set_the_same():
    published = WHOLE[:10]
    found = samples.usual()
    found = replace(
        found,
        sets=replace(found.sets, whole=samples.released(*WHOLE, exposed=1000)),
        selected=(samples.released(*published, exposed=1), samples.released(*WHOLE[5:15], exposed=2)),
        certified_selection=(),
        inference=(replace(samples.guessed(*published, posterior=0.75), sensitive="sick"),),
    )
    console = Console(width=200)
    with console.capture() as capture:
        console.print(to_text(found.document(), full=True))
    for face in (capture.get(), to_markdown(found), to_html(found)):
        assert "10 columns (set 1)" in face
        assert "10 columns (set 2)" in face
    assert "10 columns (set 1) can go out together" in capture.get()
    assert "by an adversary that knows 10 columns (set 1)" in capture.get()


def test_numbers_of_columns_have_their_thousands_apart():
    names = tuple(f"c{i}" for i in range(1500))
    assert among(names, names) == "all 1,500 columns"
    assert among(names[:1200], names) == briefly(names[:1200]) == "1,200 columns"


def test_what_is_known_of_a_guessed_column_is_a_set_without_it():
    names = names_of(WHOLE[:10])
    assert names.of(WHOLE[1:10], but="c0") == "9 columns (set 1)"
    assert names.of(WHOLE[:10], but="c19") == "10 columns (set 1)"
    assert names.of(WHOLE[:19], but="c19") == "all 19 columns"
