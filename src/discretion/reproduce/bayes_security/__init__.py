"""Chatzikokolakis, Cherubin, Palamidessi, Troncoso: "Bayes Security: A Not So Average Metric", CSF 2023."""

from types import MappingProxyType

from discretion.reproduce.bayes_security.approximations import figure_8
from discretion.reproduce.bayes_security.census import figure_7
from discretion.reproduce.bayes_security.games import figure_2, game_1
from discretion.reproduce.bayes_security.least_secure import figure_3
from discretion.reproduce.bayes_security.meanings import table_2
from discretion.reproduce.bayes_security.mechanisms import figure_6
from discretion.reproduce.bayes_security.numbers import all_numbers
from discretion.reproduce.bayes_security.plane import figure_1
from discretion.reproduce.bayes_security.privacy import figure_4
from discretion.reproduce.bayes_security.sparsity import figure_5
from discretion.reproduce.item import Item, Paper, reasons_by_name

# The numbered parts of the paper without an item of their own, and the reasons.
_REASONS = reasons_by_name(
    {
        "lists the notation; there is nothing to compute": "table-1",
        "is how discretion.bayes_security finds the worst prior; the item 'figure-1' shows it": "theorem-1 theorem-2",
        "is computed by the item 'numbers'": (
            "theorem-3 theorem-7 proposition-1 proposition-2 proposition-3 proposition-4 corollary-1"
        ),
        "is an inequality for discretion.cascade; discretion.bayes_security computes both of its sides": "theorem-4",
        "is the formula of discretion.security.bayes_security_of_ldp; the item 'figure-3' attains it": "theorem-5",
        "is cited from another paper; the item 'numbers' has Corollary 1, which follows from it": "theorem-6",
        "is the bound that the item 'figure-4' draws": "corollary-2",
        "is the bound that the item 'figure-8' draws": "proposition-5",
        "is a step of a proof and has no value of its own": (
            "definition-1 proposition-6 proposition-7 corollary-3 fact-1 lemma-1 lemma-2 lemma-3 lemma-4"
        ),
    }
)

BAYES_SECURITY = Paper(
    "Chatzikokolakis, Cherubin, Palamidessi, Troncoso: Bayes Security: A Not So Average Metric. CSF 2023",
    MappingProxyType(
        {
            "game-1": Item("The indistinguishability game, played", game_1),
            "figure-1": Item("Five secrets behind Laplace noise in the plane", figure_1),
            "figure-2": Item("The games for β* and for ε-LDP, played", figure_2),
            "figure-3": Item("Two channels that are as insecure as ε-LDP allows, corrected", figure_3),
            "figure-4": Item("The Bayes security that ε-DP guarantees, with Yeom's bound", figure_4),
            "table-2": Item("The meaning of ε, the capacity and Bayes security for some mechanisms", table_2),
            "figure-5": Item("The tightness of the bounds for a user's own prior, by its sparsity", figure_5),
            "figure-6": Item("Bayes security over ε: randomized response, Laplace and Gaussian noise", figure_6),
            "figure-7": Item("Utility and Bayes security of k-RR, on Adult in place of Census1990", figure_7),
            "figure-8": Item("Bayes security of k-RR and bounds on it", figure_8),
            "numbers": Item("Formulas and numbers in the text", all_numbers),
        }
    ),
    _REASONS,
)
