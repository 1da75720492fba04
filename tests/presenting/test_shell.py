"""A command that is shown is the command that runs when it is pasted, at any width."""

from hypothesis import given, strategies as st

from discretion.escaping import printable
from discretion.presenting.shell import Command
from support.shells import in_a_shell

words = st.text(" ,:;=\"'\\$`!|#*~&()ab1", max_size=60) | st.sampled_from(["'!'", "!!", "\\!", "it's, not", "--k=1"])


@given(st.lists(words.filter(lambda word: printable(word) == word), max_size=4), st.integers(30, 80))
def test_a_folded_command_is_pasted_as_it_was(arguments: list[str], width: int) -> None:
    lines = Command(["discretion", *arguments]).lines(width)
    assert all(len(line) <= width for line in lines)
    assert in_a_shell(lines) == arguments


def test_arguments_that_just_fit_stay_apart() -> None:
    for length in range(20, 34):
        arguments = [f"a {'!' * (length % 2)}{'x' * length}", "b"]
        assert in_a_shell(Command(["discretion", *arguments]).lines(30)) == arguments
