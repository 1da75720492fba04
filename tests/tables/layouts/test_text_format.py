"""A table is the same in each form that a CSV file has; one that may be read in two ways names the way out."""

import gzip
import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.anonymity import Population
from discretion.errors import InvalidTableError, InvalidValueError, UnsupportedError
from discretion.jobs.check import check, read_policy
from support.cli_runner import run

DELIMITERS = {",": ",", ";": ";", "|": "|", ":": ":", "\t": "tab"}
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "cp1252", "iso8859-15", "utf-16")
ENDS = ("", "\n", "\n\n", "\n\n\n")
NAMES = ["größe", "town", "income, net", 'say "hi"']
DRAW = random.Random(30)
ROWS = [
    [DRAW.choice(some) for some in (["groß", "klein", ""], ["Zürich", "Genève", "a;b", "c|d"], ["1,5", "2,25"], [""])]
    for _ in range(60)
]


def content(rows: list[list[str]], delimiter: str, encoding: str, end: str = "\n", line_end: str = "\n") -> bytes:
    """A CSV file, each value in quotes that has to be."""

    def quoted(value: str) -> str:
        if not set(value) & {delimiter, '"', "\n", "\r"} and not (set(value) & set(",;") and delimiter in ",;"):
            return value
        return '"' + value.replace('"', '""') + '"'

    text = "\n".join(delimiter.join(map(quoted, row)) for row in rows) + end
    return text.replace("\n", line_end).encode(encoding)


@pytest.mark.long
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_one_table_in_each_form_has_equal_classes(delimiter: str, tmp_path: Path) -> None:
    (tmp_path / "plain.csv").write_bytes(content([NAMES, *ROWS], ",", "utf-8"))
    plain = Population(tmp_path / "plain.csv")
    forms = [*itertools.product(ENCODINGS, ENDS, ("\n", "\r\n"), (False, True))]
    for encoding, end, line_end, packed in DRAW.sample(forms, 6):
        path = tmp_path / ("people.csv.gz" if packed else "people.csv")
        data = content([NAMES, *ROWS], delimiter, encoding, end, line_end)
        path.write_bytes(gzip.compress(data) if packed else data)
        known = {"delimiter": None if delimiter in ",;" else DELIMITERS[delimiter]}
        read = Population(path, encoding=None if encoding.startswith("utf-8") else encoding, **known)
        assert (read.columns, read.rows) == (plain.columns, plain.rows)
        assert read.class_sizes() == plain.class_sizes()
        assert [read.common_values(name, 1) for name in NAMES] == [plain.common_values(name, 1) for name in NAMES]


@pytest.mark.long
@given(
    rows=st.lists(st.lists(st.text('aé€ ,;|:\t"\n\r', max_size=4), min_size=3, max_size=3), min_size=1, max_size=8),
    delimiter=st.sampled_from([*DELIMITERS]),
    encoding=st.sampled_from(["utf-8", "cp1252", "iso8859-15", "utf-16"]),
)
def test_values_of_any_characters_are_kept(
    rows: list[list[str]], delimiter: str, encoding: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("text") / "people.csv"
    path.write_bytes(content([["a", "b", "c"], *rows], delimiter, encoding))
    read = Population(path, header=True, delimiter=DELIMITERS[delimiter], encoding=encoding)
    for place, name in enumerate("abc"):
        values = [row[place] or None for row in rows]
        assert sorted(read.common_values(name, 1), key=str) == sorted(
            ((value, values.count(value)) for value in {*values}), key=str
        )


@pytest.mark.long
def test_one_table_in_each_form_has_equal_audits(tmp_path: Path) -> None:
    forms: dict[str, tuple[bytes, dict[str, Any]]] = {
        "plain": (content([NAMES, *ROWS], ",", "utf-8"), {}),
        "semicolons": (content([NAMES, *ROWS], ";", "utf-8"), {}),
        "tabs": (content([NAMES, *ROWS], "\t", "utf-8"), {"delimiter": "tab"}),
        "Latin-1": (content([NAMES, *ROWS], ";", "latin-1", "\n\n", "\r\n"), {"encoding": "latin-1"}),
        "Excel": (content([NAMES, *ROWS], "\t", "utf-16", "\n", "\r\n"), {"delimiter": "tab", "encoding": "utf-16"}),
    }
    results = []
    for data, options in forms.values():
        (tmp_path / "people.csv").write_bytes(data)
        audit = dc.audit(tmp_path / "people.csv", sensitive="town", k=5, budget=0.1, **options)
        release = dc.release(tmp_path / "people.csv", tmp_path / "out.csv", k=5, budget=0.1, **options)
        difference = dc.diff(tmp_path / "people.csv", tmp_path / "people.csv", **options)
        offers = [replace(offer, plan=None) for offer in audit.decision.offers]  # but for how the file is written
        decision = replace(audit.decision, offers=tuple(offers))
        results.append([decision, dict(audit.measures), release.columns, release.checked, difference.after])
    assert all(result == results[0] for result in results[1:])


SEMICOLONS, LATIN = "a;b,c\n1;2,5\n3;4\n", "größe,b\nä,1\nö,2\n"
REFUSED = {
    "Latin-1": (
        LATIN.encode("latin-1"),
        {},
        "is not UTF-8 text: line 1; name .* as --encoding latin-1",
    ),
    "UTF-16": (LATIN.encode("utf-16"), {}, "is not UTF-8 text: line 1; name its encoding.* or utf-16"),
    "Windows": ("a,b\n“x”,1\n".encode("cp1252"), {"encoding": "latin-1"}, "none in latin-1; use --encoding cp1252"),
    "cut short": ("a,b\nä,1\n".encode("utf-16")[:-1], {"encoding": "utf-16"}, "is not UTF-8 text, nor utf-16"),
    "either": (b"a,x;b\n1,2;3\n", {}, "may be separated by commas or semicolons; .*--delimiter"),
    "bars": (b"a|b\n1|2\n", {}, r"without commas but with bars; use --delimiter '\|'"),
    "tabs": (b"a\tb\n1\t2\n", {}, "without commas but with tabs; use --delimiter tab"),
    "another one": (b"a;b\n1;2;3\n", {"delimiter": ";"}, "line 2 ends a row of 3 values under a header of 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_not_read_as_it_stands_names_the_way_out(name: str, tmp_path: Path) -> None:
    data, options, fault = REFUSED[name]
    (tmp_path / "people.csv").write_bytes(data)
    with pytest.raises(InvalidTableError, match=fault):
        Population(tmp_path / "people.csv", **options)


def test_the_way_out_leads_out(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    for data, options, columns in (
        (b"a,x;b\n1,2;3\n", {"delimiter": ";"}, ("a,x", "b")),
        (b"a|b\nx|y\n", {"delimiter": "|"}, ("a", "b")),
        (b"a|b\nx|y\n", {"delimiter": ","}, ("a|b",)),
        (LATIN.encode("latin-1"), {"encoding": "latin-1"}, ("größe", "b")),
        (LATIN.encode(), {"encoding": "latin-1"}, ("größe", "b")),  # UTF-8 shows that itself
    ):
        path.write_bytes(data)
        assert Population(path, **options).columns == columns


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"delimiter": "x"}, "delimiter must be one of , ; | : or tab; got 'x'"),
        ({"delimiter": ""}, "got ''"),
        ({"encoding": "no such"}, "encoding must be one of text, such as latin-1, cp1252 or utf-16; got 'no such'"),
        ({"encoding": "zip"}, "got 'zip'"),
        ({"encoding": "rot13"}, "got 'rot13'"),
    ],
)
def test_options_that_are_none_are_refused(options: dict[str, str], fault: str) -> None:
    with pytest.raises(InvalidValueError) as refusal:
        Population("example:adult", **options)
    assert fault in str(refusal.value)


def test_only_a_csv_file_has_them() -> None:
    for options in ({"delimiter": ";"}, {"encoding": "latin-1"}):
        with pytest.raises(UnsupportedError, match=f"{next(iter(options))} is for a CSV file"):
            Population("example:adult", **options)


def test_the_commands_and_policies_take_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_bytes(content([NAMES[:2], *(row[:2] for row in ROWS)], "|", "latin-1"))
    form = ["--delimiter", "|", "--encoding", "latin-1"]
    assert run("exposure", "people.csv", "--k", "5")[0] == 2
    assert run("exposure", "people.csv", "--k", "5", *form)[0] == 0
    assert run("diff", "people.csv", "people.csv", *form)[0] in (0, 1)
    Path("policy.toml").write_text('k = 1000\ndelimiter = "|"\nencoding = "latin-1"\n')
    assert check("people.csv", read_policy("policy.toml")).people == len(ROWS)
    Path("policy.toml").write_text('k = 2\ndelimiter = "x"\n')
    with pytest.raises(InvalidValueError, match=r"line 2.*delimiter must be one of"):
        read_policy("policy.toml")


@pytest.mark.long
def test_decimal_commas_between_semicolons_are_the_numbers_that_they_are(tmp_path: Path) -> None:
    people = [(DRAW.randint(4000, 36000) / 4, DRAW.choice("abc")) for _ in range(1000)]
    plain = "income,town\n" + "".join(f"{income:.2f},{town}\n" for income, town in people)
    commas = plain.replace(",", ";").replace(".", ",")
    results = []
    for text in (plain, commas):
        (tmp_path / "people.csv").write_text(text)
        result = dc.release(tmp_path / "people.csv", tmp_path / "out.csv", k=5, budget=0.01)
        results.append((result.columns, result.checked, result.suppressed))
    assert results[0] == results[1]
    assert results[0][0][0].how.startswith("in steps of")
