"""Fractions in a file make a channel of fractions."""

import json
from fractions import Fraction

import pytest

import discretion as dc
from discretion.errors import InvalidChannelError, InvalidValueError, UnsupportedError
from discretion.spelling import mechanism_of, spelled
from support.cli_runner import run


def in_file(folder, text):
    path = folder / "channel.csv"
    path.write_text(text)
    return f"channel:{path}"


def test_a_fraction_makes_all_numbers_of_a_file_exact(tmp_path):
    C = mechanism_of(in_file(tmp_path, "1/3,2/3\n0.1,0.9\n"))
    assert C.matrix.tolist() == [[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 10), Fraction(9, 10)]]
    assert dc.bayes_security(C) == Fraction(23, 30)
    with pytest.raises(UnsupportedError, match="has fractions"):
        spelled(C)


@pytest.mark.parametrize("entry", ["1/0", "a/b", "nan"])
def test_what_is_no_fraction_is_refused(tmp_path, entry):
    with pytest.raises(InvalidValueError, match="numbers only, without a header, and row 2 does not"):
        mechanism_of(in_file(tmp_path, f"1/3,2/3\n{entry},1\n"))


def test_rows_of_fractions_sum_to_one_exactly(tmp_path):
    with pytest.raises(InvalidChannelError, match="sums to 29/30"):
        mechanism_of(in_file(tmp_path, "1/3,2/3\n3/10,2/3\n"))


def test_the_command_line_prints_the_nearest_doubles(tmp_path):
    code, out, _ = run("measure", in_file(tmp_path, "1/3,2/3\n1,0\n"), "--json")
    results = json.loads(out)["results"]
    assert code == 0
    assert results["bayes_security"] == 1 / 3
    assert results["posterior_vulnerability"] == 5 / 6
    assert results["multiplicative_bayes_capacity"] == 5 / 3
