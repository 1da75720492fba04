"""Charts: one function per figure, from plain result data (such as the dicts of `Audit.to_dict`)."""

from tacit.charts.attack_curve import attack_curve
from tacit.charts.barycentric import barycentric
from tacit.charts.by_column import exposure_by_column
from tacit.charts.by_set import exposure_by_set
from tacit.charts.cells import channel_cells
from tacit.charts.certified import certified_beside_truth
from tacit.charts.collection import collection_options
from tacit.charts.composition import composed_exposure
from tacit.charts.convergence import convergence_over_samples
from tacit.charts.estimated import estimated_exposure
from tacit.charts.front import front_of_sets
from tacit.charts.guesses import inference_before_and_after
from tacit.charts.over_threshold import exposure_over_threshold
from tacit.charts.page import to_html
from tacit.charts.panels import Axis, Curve, Look, Panel, curves
from tacit.charts.plane import observations_in_plane
from tacit.charts.privacy_utility import Protocol, Quantity, percentages, privacy_utility
from tacit.charts.published import beside_published
from tacit.charts.refinement import refinement_order
from tacit.charts.rendering import to_pdf, to_png, to_svg
from tacit.charts.security import bayes_security_over_epsilon
from tacit.charts.shares import answered_shares
from tacit.charts.style import MOST_ROWS
from tacit.charts.tradeoff import tradeoff

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
    "beside_published",
    "certified_beside_truth",
    "channel_cells",
    "collection_options",
    "composed_exposure",
    "convergence_over_samples",
    "curves",
    "estimated_exposure",
    "exposure_by_column",
    "exposure_by_set",
    "exposure_over_threshold",
    "front_of_sets",
    "inference_before_and_after",
    "observations_in_plane",
    "percentages",
    "privacy_utility",
    "refinement_order",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
    "tradeoff",
]
