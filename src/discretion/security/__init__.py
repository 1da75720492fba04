"""Bounds that Bayes security, capacity and differential privacy imply for one another."""

from discretion.security.any_gain import bayes_security_of_losses, posterior_vulnerability_bounds
from discretion.security.bayes_risk_bounds import BayesRiskBounds, bayes_risk_bounds
from discretion.security.bayes_security_bounds import bayes_security_bounds
from discretion.security.differential_privacy import (
    bayes_security_of_databases,
    bayes_security_of_ldp,
    delta_of_bayes_security,
    epsilon_of_bayes_security,
    membership_advantage,
    success_probability,
    yeom_advantage,
)
from discretion.security.games import Game, chosen_observation_game, chosen_secrets_game, indistinguishability_game
from discretion.security.tradeoffs import tradeoff_of_bayes_security, tradeoff_of_dp

__all__ = [
    "BayesRiskBounds",
    "Game",
    "bayes_risk_bounds",
    "bayes_security_bounds",
    "bayes_security_of_databases",
    "bayes_security_of_ldp",
    "bayes_security_of_losses",
    "chosen_observation_game",
    "chosen_secrets_game",
    "delta_of_bayes_security",
    "epsilon_of_bayes_security",
    "indistinguishability_game",
    "membership_advantage",
    "posterior_vulnerability_bounds",
    "success_probability",
    "tradeoff_of_bayes_security",
    "tradeoff_of_dp",
    "yeom_advantage",
]
