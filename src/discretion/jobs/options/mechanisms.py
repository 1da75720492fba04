"""The options of the jobs on mechanisms and black boxes; their help is the parameters below."""

from dataclasses import dataclass
from typing import Literal

from discretion.jobs.options import Header, Lines, Names, Options

Method = Literal["auto", "frequentist", "nearest-neighbours"]
Encoding = Literal["hex", "json"]
Estimator = Literal["raw", "clipped", "norm_sub", "ibu"]


@dataclass(frozen=True, kw_only=True)
class ScenarioOptions(Options):
    """The scenario in which mechanisms are measured.

    Parameters
    ----------
    users
        How many people report, the target included.
    adversary
        What the adversary knows of the others: uninformed (default), uninformed:p0,p1,… (their population law),
        all-but-one:c0,c1,… (how many of the others hold each value), partly-informed:c0,c1,… (the same of some of
        them) or partly-informed:c0,c1,…;p0,p1,… (with the law of the rest), exchangeable:a0,a1,… (all are drawn from a
        population that is drawn from this Dirichlet law), or worst (all others' values, those that expose most).
    prior
        The law of the target's value as p0,p1,…; uniform by default.
    epsilon
        Add privacy_profile, the δ at this ε; for shuffled reports against the worst adversary unless you name one.
    delta
        Add dp_epsilon, the ε at this δ; likewise.
    seed
        Where a sum is too large, terms are sampled: the same seed gives the same result; drawn afresh by default.
    """

    users: int | None = None
    adversary: str | None = None
    prior: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(ScenarioOptions):
    """Which measures of a mechanism to compute, against which adversary.

    Parameters
    ----------
    shuffled
        Measure the reports of all users after a shuffler; needs --users.
    gain
        What the adversary wants: identity (default, to name the value), tries:2 (to name it in so many tries), set:0,3
        (to tell whether it is one of these), partition:0,0,1 (to name the block that it is in, a label for each value),
        distance:ordinal (to name a near one: 1 less the distance, as a share of the largest) or distance:FILE.csv,
        matrix:FILE.csv (what a guess, a row, is worth for a value, a column) or loss:FILE.csv (what it costs: a
        vulnerability is then minus a risk). Rows may also stand in a file's place: matrix:1,0,0;0,1,1.
    population
        The law of the population's shares: jeffreys, dirichlet:a0,a1,…, mixture:FILE.csv (in each row a weight, then
        the share of each value) or dirichlet-mixture:FILE.csv (a weight, then the parameters). Adds what is measured
        against it, in information: without --shuffled worst_case_privacy, worst_case_report (the report and two values
        that attain it) and average_privacy, always asymptotic_utility and effective_participation, and with --users
        population_information, distribution_utility, tally_utility and digit_utility, from which shuffling takes
        nothing. Without --population these run only where --only names them, then with jeffreys.
    false_positive_rate
        Add tradeoff: the share of the guilty that the best attack misses if it falsely accuses this share of the
        innocent, to separate any two values of the target; likewise.
    only
        The measures to compute, as NAME,…; by default all but those that --population adds.
    """

    shuffled: bool = False
    gain: str | None = None
    population: str | None = None
    false_positive_rate: float | None = None
    only: Names = ()


@dataclass(frozen=True, kw_only=True)
class ChannelOptions(Options):
    """The adversary against whom channels are measured.

    Parameters
    ----------
    prior
        The law of the secret as p0,p1,…; uniform by default.
    gain
        What the adversary wants, as for discretion measure; to name the secret by default.
    """

    prior: str | None = None
    gain: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimOptions(Options):
    """Whom an attacker suspects, and at which level the mechanism is to be differentially private.

    Parameters
    ----------
    base_rate
        The share of the suspects who are guilty, in (0, 1).
    delta
        Add dp_epsilon, the ε at this δ.
    """

    base_rate: float = 0.5
    delta: float | None = None


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ScenarioOptions):
    """What mechanisms are compared on.

    Parameters
    ----------
    users
        How many people report through a shuffler, the target included.
    adversary
        What the adversary knows of the others, as for discretion measure; uninformed by default, and worst for
        --epsilon and --delta.
    answers
        Without mechanisms: compare all protocols for a question with so many answers.
    local_epsilon
        Without mechanisms: the ε of each report.
    target
        What must hold for the shuffled reports, such as "posterior_vulnerability<=0.25", "bayes_security>=0.99" or,
        with --delta, "dp_epsilon<=0.1": shows whether it does, how many users are sufficient, and with --users how
        large an ε is, and the standard error in people with that ε. Where bounds answer, fewer users or a larger ε may
        be sufficient too; the result then shows this.
    epsilons
        The ε of the figure's curves as e0,e1,…; by default 0.25 to 4.
    """

    answers: int | None = None
    local_epsilon: float = 1.0
    target: str | None = None
    epsilons: str | None = None


@dataclass(frozen=True, kw_only=True)
class DesignOptions(Options):
    """The goals of a question, and the people who answer it.

    Parameters
    ----------
    answers
        How many answers the question has.
    users
        How many people answer; without it, the fewest that meet the goals.
    guess
        How often the best guess of a person's answer may be right, such as 0.1 or 10%, or by how much it may rise above
        the best guess without any report, such as +0.01.
    epsilon
        With --delta, the (ε, δ)-differential privacy of what is seen; with --unshuffled also by itself.
    delta
        The δ of it; dp_epsilon is shown at this δ, by default at 1e-6.
    error
        How large the standard error of a share may be, such as 0.002, "100 people" or "2 digits".
    targets
        A further goal, such as "bayes_security>=0.95"; once for each. The measures are posterior_vulnerability,
        leakage, additive_leakage, bayes_risk, bayes_security, mutual_information, privacy_profile, dp_epsilon,
        tradeoff, ldp_epsilon, average_privacy, and of accuracy error and effective_participation.
    false_positive_rate
        The share of false accusations at which tradeoff is the share of the guilty that the best attack misses.
    shares
        The share of each answer as p0,p1,…, or a file with one row or one column of them: the adversary's prior and the
        shares at which the error is measured; all equal by default.
    adversary
        What the adversary knows of the others, as for discretion measure; worst by default.
    questions
        How many such questions the same people answer. The goals of privacy then hold for all answers together.
    unshuffled
        The reports are not shuffled: the goals hold for each report by itself.
    protocols
        The protocols to choose from: krr, ss, oue, olh, hadamard, rappor; all by default.
    local_epsilon
        The ε of each report by itself; found by default.
    seed
        Where only sampling answers: the same seed gives the same result; drawn afresh by default.
    """

    answers: int | None = None
    users: int | None = None
    guess: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    error: str | None = None
    targets: Lines = ()
    false_positive_rate: float | None = None
    shares: str | None = None
    adversary: str = "worst"
    questions: int = 1
    unshuffled: bool = False
    protocols: Names = ()
    local_epsilon: float | None = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class EstimateOptions(Options):
    """What samples of a black box are, and what to estimate from them.

    Parameters
    ----------
    secret
        The column of the secret; the first one by default. A file in which most samples have a secret that no other has
        is refused: nothing can be concluded from it.
    confidence
        The probability with which each interval covers, in (0, 1).
    method
        What guesses secrets: frequentist (observations are equal or not), nearest-neighbours (they are points) or auto:
        frequentist for text and whole numbers, and for decimals where they repeat, else nearest-neighbours. The
        intervals hold for any; a bad guesser makes them wide.
    all_secrets
        The file has samples of every secret there is. Without it nothing bounds estimate_bayes_security from below: it
        is about the two secrets easiest to separate, and one that is not in the file may be easier.
    show_rare
        Name a secret even if fewer than 10 samples have it.
    epsilon
        Add estimate_privacy_profile: a lower bound of the δ for which the program is (ε, δ)-differentially private at
        this ε, from a file of two secrets, which stand for two neighbouring inputs. With --delta the text shows whether
        the samples refute the claim of both.
    delta
        Add estimate_epsilon: the same of ε at this δ.
    half_width
        Add samples_needed: how many samples would give estimate_bayes_risk an interval of ± this.
    header
        Whether the first line holds names: yes, no (it is a sample), or the names as a,b,… for a file without them. By
        default a first line that looks like a sample is refused.
    seed
        The same seed gives the same result; by default one is drawn, which the result shows.
    """

    secret: str | None = None
    confidence: float = 0.95
    method: Method = "auto"
    all_secrets: bool = False
    show_rare: bool = False
    epsilon: float | None = None
    delta: float | None = None
    half_width: float | None = None
    header: Header = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class TallyOptions(Options):
    """What received reports are, and how shares are estimated from them.

    Parameters
    ----------
    labels
        The names of the values, in order; by default their numbers, from 0.
    encoding
        How a line holds a report: hex (the bytes that the client sends, in hex) or json (a whole number, or a list of
        the bits or values); by the suffix .hex, .jsonl or .ndjson by default.
    confidence
        The probability with which each interval covers, in (0, 1).
    simultaneous
        Make the intervals of all values cover at once with that probability.
    estimator
        What makes shares of the counts: raw (unbiased, but shares may be below 0 or above 1), clipped (negative ones
        are 0, the others divided by their sum), norm_sub (the nearest shares) or ibu (the likeliest shares, by the
        iterative Bayesian update, which holds all reports in memory). The intervals are the same for all.
    """

    labels: Names = ()
    encoding: Encoding | None = None
    confidence: float = 0.95
    simultaneous: bool = False
    estimator: Estimator = "raw"
