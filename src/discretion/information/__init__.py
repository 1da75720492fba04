"""Information measures of local protocols: their privacy, their information on the population, the best protocols."""

from discretion.information.design.design import Design, optimal_mechanism
from discretion.information.posterior.posterior import frequency_posterior
from discretion.information.posterior.tally_posterior import TallyPosterior, tally_posterior
from discretion.information.privacy.average_privacy import average_privacy
from discretion.information.privacy.worst_case import WorstCaseReport, worst_case_privacy, worst_case_report
from discretion.information.utility.asymptotic_utility import (
    asymptotic_utility,
    asymptotic_utility_bound,
    effective_participation,
)
from discretion.information.utility.faithfulness import is_faithful
from discretion.information.utility.population_information import population_information
from discretion.information.utility.split import information_split
from discretion.information.utility.utility import digit_utility, distribution_utility, tally_utility

__all__ = [
    "Design",
    "TallyPosterior",
    "WorstCaseReport",
    "asymptotic_utility",
    "asymptotic_utility_bound",
    "average_privacy",
    "digit_utility",
    "distribution_utility",
    "effective_participation",
    "frequency_posterior",
    "information_split",
    "is_faithful",
    "optimal_mechanism",
    "population_information",
    "tally_posterior",
    "tally_utility",
    "worst_case_privacy",
    "worst_case_report",
]
