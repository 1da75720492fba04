"""Charts: one function per figure, from plain result data (such as the dicts of `Audit.to_dict`)."""

from discretion.charts.attack_curve import attack_curve
from discretion.charts.barycentric import barycentric
from discretion.charts.by_column import exposure_by_column
from discretion.charts.by_set import exposure_by_set
from discretion.charts.certified import certified_beside_truth
from discretion.charts.collection import collection_options
from discretion.charts.convergence import convergence_over_samples
from discretion.charts.design import design
from discretion.charts.distributions import distributions_before_and_after
from discretion.charts.front import front_of_sets
from discretion.charts.guesses import inference_before_and_after
from discretion.charts.over_threshold import exposure_over_threshold
from discretion.charts.page import to_html
from discretion.charts.panels import Axis, Curve, Look, Panel, curves
from discretion.charts.privacy_utility import Protocol, Quantity, percentages, privacy_utility
from discretion.charts.refinement import refinement_order
from discretion.charts.rendering import to_pdf, to_png, to_svg
from discretion.charts.security import bayes_security_over_epsilon
from discretion.charts.shares import answered_shares
from discretion.charts.tradeoff import tradeoff
from discretion.charts.trust import information_by_design
from discretion.presenting.views.document import MOST_ROWS

__all__ = [
    "MOST_ROWS",
    "Axis",
    "Curve",
    "Look",
    "Panel",
    "Protocol",
    "Quantity",
    "answered_shares",
    "attack_curve",
    "barycentric",
    "bayes_security_over_epsilon",
    "certified_beside_truth",
    "collection_options",
    "convergence_over_samples",
    "curves",
    "design",
    "distributions_before_and_after",
    "exposure_by_column",
    "exposure_by_set",
    "exposure_over_threshold",
    "front_of_sets",
    "inference_before_and_after",
    "information_by_design",
    "percentages",
    "privacy_utility",
    "refinement_order",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
    "tradeoff",
]
