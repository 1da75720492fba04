"""Lopuhaä-Zwakenberg, Škorić, Li: "Information-theoretic metrics for Local Differential Privacy protocols", 2019."""

from types import MappingProxyType

from discretion.reproduce.item import Item, Paper
from discretion.reproduce.ldp.costs import table_10_2
from discretion.reproduce.ldp.digits import lemma_4_7
from discretion.reproduce.ldp.examples import example_3_2, remark_7_9
from discretion.reproduce.ldp.figures import figure_2, figure_3
from discretion.reproduce.ldp.model import figure_1
from discretion.reproduce.ldp.numbers import all_numbers
from discretion.reproduce.ldp.reasons import REASONS
from discretion.reproduce.ldp.tables import table_4_1, table_10_1

LDP = Paper(
    "Lopuhaä-Zwakenberg, Škorić, Li: Information-theoretic metrics for Local Differential Privacy protocols. 2019",
    MappingProxyType(
        {
            "example-3-2": Item("What a protocol without noise hides on average", example_3_2),
            "figure-1": Item("The model, and how much information passes each of its arrows", figure_1),
            "table-4-1": Item("What users know, and what of it the aggregator is told", table_4_1),
            "lemma-4-7": Item("How many digits of the population's shares the reports reveal", lemma_4_7),
            "remark-7-9": Item("A mixture that tells more than both of its parts", remark_7_9),
            "table-10-1": Item("Three unary encodings", table_10_1),
            "table-10-2": Item("What the metrics cost in the paper, and the seconds measured here", table_10_2),
            "figure-2": Item("Average privacy over the number of values, at one worst-case privacy", figure_2),
            "figure-3": Item("Utility over average and worst-case privacy", figure_3),
            "numbers": Item("Formulas and numbers in the text", all_numbers),
        }
    ),
    REASONS,
)
