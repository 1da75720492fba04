"""How much a computation may take before it is refused, stopped, or answered by bounds or a sample instead.

The limits say whether and how a question is answered, never what the answer is. A server that many ask at once lowers
them, for all that is asked within a block.
"""

import operator
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from discretion.errors import InvalidValueError


def _as_limit(value: Any, name: str, most: int) -> int:
    try:
        limit = operator.index(value)
    except TypeError:
        limit = 0
    if isinstance(value, bool) or not 1 <= limit <= most:
        got = "more" if limit > most else f"{value!r:.40}"
        raise InvalidValueError(
            f"{name} must be a whole number from 1 to {most:,}, its default, since limits are only lowered; got {got}"
        )
    return limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most that a computation may take, of each kind; what is not named is as high as it can be.

    Limits can only be lowered: beyond the defaults memory runs out, minutes go by, or numbers are no longer certain.

    Examples
    --------
    >>> from discretion.limits import Limits
    >>> Limits(most_entries=10_000).most_entries
    10000
    >>> Limits().most_entries
    67108864
    """

    # People and values, for all that is computed.
    most_users: int = 10**10  # users, people or reports
    most_values: int = 10**8  # values of a mechanism: no prior for more fits in memory

    # Channels and measures of them.
    most_entries: int = 1 << 26  # entries of an explicit channel
    most_fractions: int = 1 << 20  # entries of a channel that is composed in fractions, n times that of n uses
    most_factor_terms: int = 1 << 35  # multiplications of a step towards one channel as another one's post-processing
    most_tally_entries: int = 1 << 23  # probabilities of the tallies of a channel that is used repeatedly
    most_choices_tried: int = 1 << 16  # sets of secrets, or corners among the priors, in search of the worst
    most_capacity_terms: int = 1 << 40  # products added up in search of the prior that attains a capacity: minutes
    most_pairs_listed: int = 10**7  # pairs of secrets that are equally far apart
    most_loss_points: int = 1 << 20  # points of a grid that privacy losses are put on to be added
    most_loss_places: int = 1 << 22  # places of a lattice on which losses are added exactly

    # Laws that several questions are made of.
    most_law_cells: int = 1 << 27  # cells of the law of a histogram, by a transform: 8 bytes each
    most_cells_summed: int = 1 << 22  # cells of a sum over the counts of some kinds, for a mean excess
    most_peaks: int = 1 << 18  # peaks of an integral for a mean excess, the rest of which is bounded
    most_integral_terms: int = 1 << 24  # nodes of such an integral, times kinds

    # Crowds that are shuffled.
    most_histograms: int = 1 << 23  # histograms that are listed, or their likelihoods
    most_terms_added: int = 1 << 26  # terms that adding draws one by one to a law of histograms may take
    most_log_terms: int = 1 << 24  # the same in logarithms, which take longer
    most_crowd_cells: int = 1 << 20  # likelihoods of the explicit channel of a crowd, in a box of counts
    most_values_listed: int = 256  # values of a symmetric mechanism for which histograms are listed
    most_ways_listed: int = 1 << 13  # histograms of the others' values, in an exchangeable crowd
    most_likelihoods_tried: int = 1 << 24  # likelihoods in search of the worst others
    most_likelihoods_expected: int = 1 << 23  # the same as such a search usually goes, before it is begun
    most_values_tried: int = 64  # values of which the worst others may hold any
    most_users_split: int = 1 << 12  # users of two values, all of whose splits are gone through
    most_histograms_tried: int = 1 << 18  # histograms for each of the others who are likely to be the worst
    most_profile_points: int = 1 << 20  # steps of a privacy profile that is composed
    most_crowds_drawn: int = 1 << 18  # crowds of a sample; some thousands are drawn in any case
    most_numbers_a_crowd: int = 1 << 17  # numbers that drawing one crowd takes
    most_values_sampled: int = 1 << 10  # values for which crowds are drawn among others who are known
    most_cells_sampled: int = 1 << 23  # cells of the tables that these are drawn by

    # Mechanisms, and the reports that they draw.
    most_steps: int = 10**7  # steps of a subsampled mechanism
    most_people_drawn: int = 10**8  # people whose reports are drawn one by one to be tallied
    most_bits_drawn: int = 1 << 32  # bits of the reports of unary encoding that are drawn at once
    most_bytes_drawn: int = 1 << 32  # bytes of the reports of subset selection that are drawn at once
    most_bits_listed: int = 18  # bits of a report of unary encoding, all of which are written out: 2^18 columns
    most_report_types: int = 1 << 16  # types that reports of bits are of, in a population of unequal shares

    # What reports tell of a population and of its tallies.
    most_users_summed: int = 10**7  # people over whose tallies a sum is taken
    most_tallies_listed: int = 1 << 20  # tallies of the people's values, in a population of some points
    most_tally_cells: int = 1 << 26  # tallies of values beside tallies of reports
    most_tally_table: int = 1 << 24  # entries of the table that these are made by
    most_users_sampled: int = 1 << 14  # people whose tallies are sampled, where bounds would do
    most_report_tallies: int = 1 << 18  # tallies of reports that are listed
    most_users_by_moments: int = 1 << 12  # people whose tallies are listed, or weighed, by moments
    most_users_by_quadrature: int = 1 << 12  # people whose tallies' probabilities are integrals
    most_tally_terms: int = 1 << 31  # terms of all these probabilities
    most_parameters: int = 1 << 8  # different parameters of a Dirichlet law, for an integral over each
    most_shares_drawn: int = 1 << 22  # numbers of the populations of a sample; some hundred are drawn in any case
    most_moment_steps: int = 1 << 22  # steps of the recursion of the moments of all samples
    most_moments_gathered: int = 1 << 27  # moments that are looked up for all samples
    most_cells_bracketed: int = 1 << 27  # cells by which the probabilities of sampled tallies are bracketed
    most_simplex_points: int = 1 << 21  # points of a rule for an integral over populations

    # Posterior laws, and mechanisms that are sought.
    most_posterior_terms: int = 1 << 23  # terms of a sum over what people may hold
    most_numbers_sampled: int = 1 << 28  # numbers that a sampler draws: a quarter of a minute
    most_numbers_kept: int = 1 << 24  # numbers that it keeps; some draws are kept in any case
    most_values_sought: int = 12  # values all of whose sets are columns of the best mechanism
    most_alike_values_sought: int = 1000  # the same where all values are alike, so that sets of a size are one
    most_losses: int = 1 << 14  # entries of a loss matrix in a linear program

    # Samples of a black box.
    most_cells_compared: int = 2 * 10**10  # (secret, observation) that are compared over all pairs of secrets
    most_pairs_compared: int = 10**7  # pairs of secrets
    most_cells_validated: int = 10**7  # cells of the pairs that are validated; one pair is in any case
    most_secrets_classified: int = 1000  # secrets whose pairs are compared by a classifier: half a million pairs

    # Tables.
    most_columns: int = 1000  # columns to ask about: of more a question takes seconds, and there are several for each
    most_rows_kept: int = 10**7  # rows of groupings that are kept while many sets of columns are counted
    most_tied_texts: int = 10_000  # sensitive texts of one number in doubles, which are sent back to the engine
    most_bytes_searched: int = 1 << 26  # bytes of a JSON file in which the line at fault is looked for
    most_bytes_spooled: int = 1 << 38  # bytes that are unpacked, or that arrive on standard input; and half of the disk
    most_bytes_of_counts: int = 1 << 26  # bytes of a file of counts

    # Exposure, what bounds it, and attacks.
    most_lines: int = 1 << 12  # lines of an envelope that is searched; a bound is a little higher if there are more
    most_covers: int = 256  # sets of columns that a bound by groups continues with, for each column
    most_compositions: int = 20_000  # choices of thresholds among which the best bound is looked for
    most_products: int = 1 << 18  # products of class sizes that are listed where columns are independent
    most_table_cells: int = 4096  # cells of the tables among which the worst is searched
    most_people_compared: int = 3 * 10**9  # people for t-closeness: the square of it fits in 64 bits
    most_sets_attacked: int = 100_000  # sets of columns that are attacked at once
    most_columns_combined: int = 10  # columns of a fingerprint, all of whose subsets are read

    # A synthetic table beside its original.
    most_records_compared: int = 1 << 32  # (person, synthetic record): of more a sample of the people is attacked

    # Choosing columns, and redacting values.
    most_pairs_asked: int = 400  # pairs of columns about which an engine elsewhere is asked whether one determines
    most_levels_examined: int = 20_000  # sets that a selection looks at one by one, by their number of columns
    most_codes: int = 2 * 10**8  # codes of rows, in all columns, that are taken out of the engine: 4 bytes each
    most_sets_examined: int = 10**6  # sets of columns that a selection looks at
    most_sets_promised: int = 100_000  # sets of columns whose bounds the rounds of a release look at
    most_columns_decoyed: int = 10  # columns with decoys, any of which may be redacted

    # An audit, and a trade-off that is drawn.
    most_columns_collected: int = 20  # columns for which collecting the values is looked into
    most_histograms_collected: int = 1 << 14  # histograms of a small crowd, for each value, for guesses that are exact
    most_rules: int = 50  # columns whose rare values are redacted: each takes several questions to the table
    most_answers_redacted: int = 1 << 20  # answers: each class gives as many as there are sets of columns to redact
    most_values_drawn: int = 10  # values of a mechanism whose worth is drawn: beyond, a channel takes minutes

    # A collection.
    most_answers_combined: int = 10**7  # combinations of randomized answers whose shares are worked out
    most_uploads_waiting: int = 1 << 14  # uploads that wait to be stored: beyond, a sender has to try again
    most_connections: int = 2000  # of a service at once
    most_answers_guessed: int = 1 << 6  # answers of which a crowd's guess is worked out, and not only bounded
    most_crowds_guessed: int = 1 << 13  # crowds drawn, or histograms listed, for a guess among them: a second

    def __post_init__(self) -> None:
        for each in fields(self):
            assert isinstance(each.default, int)
            object.__setattr__(self, each.name, _as_limit(getattr(self, each.name), each.name, each.default))


_HIGHEST = Limits()
_CURRENT: ContextVar[Limits] = ContextVar("limits", default=_HIGHEST)


def current() -> Limits:
    """Return the limits that hold here.

    Examples
    --------
    >>> from discretion import limits
    >>> limits.current() == limits.Limits()
    True
    """
    return _CURRENT.get()


@contextmanager
def within(limits: Limits) -> Generator[None]:
    """Let these limits hold, in place of those outside, for what the block asks in its thread or task.

    Examples
    --------
    >>> import discretion as dc
    >>> from discretion.limits import Limits, within
    >>> with within(Limits(most_entries=1000)):
    ...     dc.HadamardResponse(100, epsilon=1).channel()
    Traceback (most recent call last):
    discretion.errors.TooLargeError: ...
    """
    if not isinstance(limits, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValueError(f"within takes a discretion.limits.Limits, got {limits!r:.40}")
    token = _CURRENT.set(limits)
    try:
        yield
    finally:
        _CURRENT.reset(token)
