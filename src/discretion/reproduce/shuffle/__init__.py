"""Jurado, Gonze, Alvim, Palamidessi: "Analyzing the Shuffle Model through the Lens of QIF", CSF 2023."""

from types import MappingProxyType

from discretion.reproduce.item import Item, Paper, reasons_by_name
from discretion.reproduce.shuffle import approximations, figures, tables
from discretion.reproduce.shuffle.equivalences import equivalences
from discretion.reproduce.shuffle.numbers import all_numbers

_ROOM = "discretion.shuffling"
# The numbered parts of the paper without an item of their own, and the reasons.
_REASONS = reasons_by_name(
    {
        "is a diagram of equivalent channels; the item 'equivalences' checks it": "figure-1 figure-8 figure-9",
        "has three parts; name one of the items 'table-1a', 'table-1b' and 'table-1c'": "table-1",
        "defines discretion.prior_vulnerability": "definition-1",
        "defines discretion.posterior_vulnerability": "definition-2",
        "defines discretion.cascade": "definition-3",
        "is what discretion.refines decides; the item 'equivalences' applies it": "theorem-4",
        "defines datasets and histograms; there is nothing to compute": "definition-5",
        "is the scenario of the items 'table-1a', 'table-1b', 'table-1c', 'table-2' and 'table-3'": "example-6",
        f"defines {_ROOM}.full_shuffle_channel": "definition-7",
        f"defines {_ROOM}.reduced_shuffle_channel": "definition-8",
        f"defines {_ROOM}.dataset_channel of randomized response": "definition-10",
        f"defines {_ROOM}.reduced_dataset_channel of randomized response": "definition-23",
        "is checked by the item 'equivalences'": (
            "proposition-9 proposition-11 proposition-12 proposition-26 proposition-28"
        ),
        "defines the gain of a guess of one user's value, which discretion.Shuffled takes by default": "definition-13",
        "is a formula that the item 'numbers' computes": "proposition-14 proposition-15",
        "is a formula that the item 'figure-2' draws": "proposition-16 theorem-17 proposition-18 theorem-19",
        "is a formula that the item 'figure-5' draws": "proposition-20",
        "is another name for Theorem 19; the item 'figure-2' draws it": "proposition-19",
        "is another name for Proposition 20; the item 'figure-5' draws it": "theorem-20",
        "is a formula that the item 'figure-4' draws": "proposition-21",
        "is an asymptotic bound, which the items 'figure-6' and 'figure-7' draw": "theorem-22",
        "is a channel that the item 'table-4' computes": "example-24",
        "is a channel that the item 'table-5' computes": "example-27",
        "states that channels on datasets and on histograms differ; there is nothing to compute": "proposition-25",
        f"is an identity of two sums, both of which {_ROOM}.maximum_load computes": "proposition-29",
        "is a step of a proof and has no value of its own": "lemma-30",
    }
)

SHUFFLE = Paper(
    "Jurado, Gonze, Alvim, Palamidessi: Analyzing the Shuffle Model through the Lens of Quantitative Information Flow. "
    "CSF 2023",
    MappingProxyType(
        {name: Item(table.title, table.reproduce) for name, table in tables.TABLES.items()}
        | {
            "figure-2": Item("The guess of a binary value in a crowd, with noise (N) and with the shuffler (NS)",
                             figures.figure_2),
            "figure-3": Item("The guess of an adversary who knows all others, by their answers", figures.figure_3),
            "figure-4": Item("The guess of one of five values in a crowd", figures.figure_4),
            "figure-5": Item("The guess through the shuffler alone, for several numbers of values", figures.figure_5),
            "figure-6": Item("Approximations of the guess through the shuffler", approximations.figure_6),
            "figure-7": Item("Approximations of the guess through noise and shuffler, four values",
                             approximations.figure_7),
            "equivalences": Item("Propositions 9, 11, 12, 26 and 28, Figures 1, 8 and 9: channels with equal leakage",
                                 equivalences),
            "numbers": Item("The numbers in the text", all_numbers),
        }
    ),
    _REASONS,
)  # fmt: skip
