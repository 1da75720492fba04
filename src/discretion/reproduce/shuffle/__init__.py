"""Jurado, Gonze, Alvim, Palamidessi: "Analyzing the Shuffle Model through the Lens of QIF", CSF 2023."""

from types import MappingProxyType

from discretion.reproduce.item import Item, Paper
from discretion.reproduce.shuffle import approximations, figures, tables
from discretion.reproduce.shuffle.equivalences import equivalences
from discretion.reproduce.shuffle.numbers import all_numbers
from discretion.reproduce.shuffle.reasons import REASONS

SHUFFLE = Paper(
    "Jurado, Gonze, Alvim, Palamidessi: Analyzing the Shuffle Model through the Lens of Quantitative Information Flow. "
    "CSF 2023",
    MappingProxyType(
        {name: Item(table.title, table.reproduce) for name, table in tables.TABLES.items()}
        | {
            "figure-2": Item("The guess of a binary value in a crowd, with noise (N) and with the shuffler (NS)",
                             figures.figure_2),
            "figure-3": Item("The guess of who knows all others, by what the others answer", figures.figure_3),
            "figure-4": Item("The guess of one of five values in a crowd", figures.figure_4),
            "figure-5": Item("The guess through the shuffler alone, for several numbers of values", figures.figure_5),
            "figure-6": Item("Approximations of the guess through the shuffler", approximations.figure_6),
            "figure-7": Item("Approximations of the guess through noise and shuffler, four values",
                             approximations.figure_7),
            "equivalences": Item("Propositions 9, 11, 12, 26 and 28, Figures 1, 8 and 9: what leaks the same",
                                 equivalences),
            "numbers": Item("The numbers in the text", all_numbers),
        }
    ),
    REASONS,
)  # fmt: skip
