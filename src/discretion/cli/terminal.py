"""Sentences for a person: whatever reaches a terminal in words leaves through here, a `Screen` or the progress."""

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
    """Say on stderr what is wrong."""
    say_aside(f"discretion: {sentence}")
