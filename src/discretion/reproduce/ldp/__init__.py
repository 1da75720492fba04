"""Lopuhaä-Zwakenberg, Škorić, Li: "Information-theoretic metrics for Local Differential Privacy protocols", 2019."""

from types import MappingProxyType

from discretion.reproduce.item import Item, Paper, reasons_by_name
from discretion.reproduce.ldp.costs import table_10_2
from discretion.reproduce.ldp.digits import lemma_4_7
from discretion.reproduce.ldp.examples import example_3_2, remark_7_9
from discretion.reproduce.ldp.figures import figure_2, figure_3
from discretion.reproduce.ldp.model import figure_1
from discretion.reproduce.ldp.numbers import all_numbers
from discretion.reproduce.ldp.tables import table_4_1, table_10_1

_ROOM = "discretion.information"
# The numbered parts of the paper without an item of their own, and the reasons.
_REASONS = reasons_by_name(
    {
        "defines the privacy level that discretion.ldp_epsilon computes": "definition-3-1",
        "defines the error of an estimator, which discretion.frequency_error computes": "definition-3-3",
        f"defines average privacy, which {_ROOM}.average_privacy computes": "definition-4-1",
        f"states that average privacy does not depend on n; {_ROOM}.average_privacy takes no n": "lemma-4-2",
        f"defines {_ROOM}.distribution_utility and {_ROOM}.tally_utility": "definition-4-3",
        "compares the metrics with earlier work in words; there is nothing to compute": "remark-4-4",
        "is an identity of sums, which the item 'figure-1' computes": "remark-4-5",
        f"defines {_ROOM}.digit_utility": "definition-4-6",
        f"defines worst-case privacy, which {_ROOM}.worst_case_privacy computes": "definition-5-1",
        "is an inequality; the item 'figure-2' has both of its sides": "lemma-5-2",
        f"is the formula of {_ROOM}.worst_case_privacy": "theorem-5-3 corollary-b-3",
        f"describes the worst case, which {_ROOM}.worst_case_report returns": "remark-5-4",
        "explains Example 3.2 by the worst case, which the item 'example-3-2' computes": "remark-5-5",
        f"is decided by {_ROOM}.is_faithful": "definition-6-1 proposition-6-2",
        "defines which reports reveal the same; discretion.Channel.reduced merges them": "definition-6-3",
        "defines a notation for limits; there is nothing to compute": "definition-6-4",
        f"defines {_ROOM}.asymptotic_utility": "definition-6-5",
        "is an inequality; the item 'figure-3' draws how far F is below 1": "lemma-6-6",
        f"is a limit for many users, which {_ROOM}.asymptotic_utility computes": "theorem-6-7 corollary-6-8",
        "has a slip, which the item 'numbers' shows": "remark-6-9",
        f"defines {_ROOM}.effective_participation": "definition-6-10",
        f"is the meaning of {_ROOM}.effective_participation; the item 'figure-3' draws it": "proposition-6-11",
        "defines post-processing, which discretion.cascade builds": "definition-7-1",
        "defines the law of the reports' shares, which only proofs use": "definition-7-2",
        f"is an inequality for discretion.cascade; {_ROOM} computes both of its sides": "proposition-7-3",
        "is local hashing, of which the item 'numbers' computes eq. (7.6)": "example-7-4",
        "defines the product of protocols, which discretion.parallel builds": "definition-7-5",
        f"is an inequality for discretion.parallel; {_ROOM} computes both of its sides": "proposition-7-6",
        "defines mixtures, which discretion.visible_choice builds": "definition-7-7",
        "is an inequality for mixtures, which the item 'remark-7-9' shows": "proposition-7-8",
        f"is the bound that {_ROOM}.asymptotic_utility_bound computes": "theorem-8-1",
        "is the posterior that discretion.frequency_posterior computes": "proposition-9-1 proposition-10-2 lemma-d-8",
        f"is a closed form of {_ROOM}.average_privacy; the item 'figure-2' has it": "proposition-10-1 proposition-10-3",
        "is a step of a proof and has no value of its own": (
            "lemma-b-1 lemma-b-2 theorem-c-1 lemma-c-2 lemma-c-3 lemma-c-4 lemma-c-5 lemma-c-6 lemma-c-7 lemma-c-8 "
            "lemma-c-9 lemma-c-10"
        ),
        "states a cost of Table 10.2, which the item 'table-10-2' measures": (
            "lemma-d-1 lemma-d-2 lemma-d-3 lemma-d-4 lemma-d-5 corollary-d-7 corollary-d-9 corollary-d-11 "
            "corollary-d-12 corollary-d-14"
        ),
        "refers to sampling methods in words; there is nothing to compute": "remark-d-6",
        f"is a sum for I(Y;P), which {_ROOM}.population_information computes": "proposition-d-10 proposition-d-13",
    }
)

LDP = Paper(
    "Lopuhaä-Zwakenberg, Škorić, Li: Information-theoretic metrics for Local Differential Privacy protocols. 2019",
    MappingProxyType(
        {
            "example-3-2": Item("The average privacy of a protocol without noise", example_3_2),
            "figure-1": Item("The model, and the information that passes each of its arrows", figure_1),
            "table-4-1": Item("The users' information, and the part that reaches the aggregator", table_4_1),
            "lemma-4-7": Item("The number of digits of the population's shares that reports reveal", lemma_4_7),
            "remark-7-9": Item("A mixture with more information than both of its parts", remark_7_9),
            "table-10-1": Item("Three unary encodings", table_10_1),
            "table-10-2": Item("The costs of the metrics in the paper, and the seconds measured here", table_10_2),
            "figure-2": Item("Average privacy over the number of values, at one worst-case privacy", figure_2),
            "figure-3": Item("Utility over average and worst-case privacy", figure_3),
            "numbers": Item("Formulas and numbers in the text", all_numbers),
        }
    ),
    _REASONS,
)
