"""Sentences on a terminal: all text is printed by these functions, by a `Screen` or by the progress."""

import sys
from contextlib import suppress

from discretion.escaping import printable
from discretion.presenting.width import folded


def say(sentence: str = "") -> None:
    """Write one line to stdout."""
    sys.stdout.write(printable(sentence) + "\n")


def say_folded(sentence: str) -> None:
    """Write a sentence to stdout, in the terminal's width."""
    sys.stdout.write(folded(printable(sentence)) + "\n")


def say_aside(sentence: str) -> None:
    """Write one line to stderr, which may be closed or have lost its reader."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(printable(sentence) + "\n")


def complain(sentence: str) -> None:
    """Write an error message to stderr."""
    say_aside(f"discretion: {sentence}")
