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
from discretion.reproduce.bayes_security.reasons import REASONS
from discretion.reproduce.bayes_security.sparsity import figure_5
from discretion.reproduce.item import Item, Paper

BAYES_SECURITY = Paper(
    "Chatzikokolakis, Cherubin, Palamidessi, Troncoso: Bayes Security: A Not So Average Metric. CSF 2023",
    MappingProxyType(
        {
            "game-1": Item("The indistinguishability game, played", game_1),
            "figure-1": Item("Five secrets behind Laplace noise in the plane", figure_1),
            "figure-2": Item("The games for β* and for ε-LDP, played", figure_2),
            "figure-3": Item("Two channels that are as insecure as ε-LDP allows, corrected", figure_3),
            "figure-4": Item("What ε-DP promises of Bayes security, beside Yeom's bound", figure_4),
            "table-2": Item("What ε, the capacity and Bayes security say of some mechanisms", table_2),
            "figure-5": Item("How tight the bounds for a user's own prior are, by its sparsity", figure_5),
            "figure-6": Item("Bayes security over ε: randomized response, Laplace and Gaussian noise", figure_6),
            "figure-7": Item("Utility and Bayes security of k-RR, on Adult instead of Census1990", figure_7),
            "figure-8": Item("Bayes security of k-RR and bounds on it", figure_8),
            "numbers": Item("Formulas and numbers in the text", all_numbers),
        }
    ),
    REASONS,
)
