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
        The number of people who report, the target included.
    adversary
        The adversary's knowledge of the other users: uninformed (default), uninformed:p0,p1,… (the distribution of the
        population), all-but-one:c0,c1,… (how many of the other users hold each value), partly-informed:c0,c1,… (the
        same of some of them) or partly-informed:c0,c1,…;p0,p1,… (with the distribution of the rest),
        exchangeable:a0,a1,… (all are drawn from a population that is drawn from this Dirichlet distribution), or worst
        (all values of the other users, those that expose most).
    prior
        The distribution of the target's value as p0,p1,…; uniform by default.
    epsilon
        Add privacy_profile, the δ at this ε; for shuffled reports against the worst adversary unless you set
        --adversary.
    delta
        Add dp_epsilon, the ε at this δ; for shuffled reports against the worst adversary unless you set --adversary.
    seed
        The seed of the samples that replace a sum that is too large: the same seed gives the same result. By default
        one is drawn.
    """

    users: int | None = None
    adversary: str | None = None
    prior: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(ScenarioOptions):
    """The measures of a mechanism to compute, and the adversary.

    Parameters
    ----------
    shuffled
        Measure the reports of all users after a shuffler; needs --users.
    gain
        The adversary's goal: identity (default, to name the value), tries:2 (to name it in this number of tries),
        set:0,3 (to decide whether it is one of these), partition:0,0,1 (to name the block that it is in, a label for
        each value), distance:ordinal (to name a near one: 1 less the distance, as a share of the largest) or
        distance:FILE.csv, matrix:FILE.csv (the gain of a guess, a row, for a value, a column) or loss:FILE.csv (the
        cost: a vulnerability is then minus a risk). Rows may also stand in a file's place: matrix:1,0,0;0,1,1.
    population
        The distribution of the population's shares: jeffreys, dirichlet:a0,a1,…, mixture:FILE.csv (in each row a
        weight, then the share of each value) or dirichlet-mixture:FILE.csv (a weight, then the parameters). Adds the
        measures of information against it: without --shuffled worst_case_privacy, worst_case_report (the report and two
        values that attain it) and average_privacy, always asymptotic_utility and effective_participation, and with
        --users population_information, distribution_utility, tally_utility and digit_utility, from which shuffling
        takes nothing. Without --population these run only where --only names them, then with jeffreys.
    false_positive_rate
        Add tradeoff: the share of the guilty that the best attack misses if it falsely accuses this share of the
        innocent, to separate any two values of the target; for shuffled reports against the worst adversary unless you
        set --adversary.
    only
        The measures to compute, as NAME,…; by default all except those that --population adds.
    """

    shuffled: bool = False
    gain: str | None = None
    population: str | None = None
    false_positive_rate: float | None = None
    only: Names = ()


@dataclass(frozen=True, kw_only=True)
class ChannelOptions(Options):
    """The adversary of the measures of channels.

    Parameters
    ----------
    prior
        The distribution of the secret as p0,p1,…; uniform by default.
    gain
        The adversary's goal, as for discretion measure; to name the secret by default.
    """

    prior: str | None = None
    gain: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimOptions(Options):
    """The attacker's suspects, and the δ of differential privacy.

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
    """The scenario and the target of a comparison of mechanisms.

    Parameters
    ----------
    users
        The number of people who report through a shuffler, the target included.
    adversary
        The adversary's knowledge of the other users, as for discretion measure; uninformed by default, and worst for
        --epsilon and --delta.
    answers
        Without mechanisms: compare all protocols for a question with this number of answers.
    local_epsilon
        Without mechanisms: the ε of each report.
    target
        A goal for the shuffled reports, such as "posterior_vulnerability<=0.25", "bayes_security>=0.99" or, with
        --delta, "dp_epsilon<=0.1". The result shows whether they meet it and how many users are sufficient; with
        --users also the largest sufficient ε and the standard error in people with that ε. Where only bounds are known,
        fewer users or a larger ε may be sufficient too; the result then shows this.
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
        The number of answers that the question has.
    users
        The number of people who answer; by default the fewest that meet the goals.
    guess
        The largest probability that the best guess of a person's answer is correct, such as 0.1 or 10%, or its largest
        rise above the best guess without any report, such as +0.01.
    epsilon
        With --delta, the reports of all people together are (ε, δ)-differentially private; with --unshuffled each
        report is, and --delta may be left out.
    delta
        The δ for --epsilon; the result shows dp_epsilon at this δ, by default at 1e-6.
    error
        The largest standard error of a share, such as 0.002, "100 people" or "2 digits".
    targets
        A further goal, such as "bayes_security>=0.95"; give the option once for each. The measures are
        posterior_vulnerability, leakage, additive_leakage, bayes_risk, bayes_security, mutual_information,
        privacy_profile, dp_epsilon, tradeoff, ldp_epsilon, average_privacy, and for accuracy error and
        effective_participation.
    false_positive_rate
        The rate of false accusations for the measure tradeoff, which is the share of the guilty that the best attack
        then misses.
    shares
        The share of each answer as p0,p1,…, or a file with one row or one column of them: the adversary's prior and the
        shares at which the error is measured; all equal by default.
    adversary
        The adversary's knowledge of the other users, as for discretion measure; worst by default.
    questions
        The number of such questions that the same people answer. The goals of privacy then hold for all answers
        together.
    unshuffled
        Design for reports without a shuffler: the goals hold for each report by itself.
    protocols
        The protocols to choose from: krr, ss, oue, olh, hadamard, rappor; all by default.
    local_epsilon
        The ε of each report by itself; by default the command finds it.
    seed
        The seed of the samples that replace what is too large to compute: the same seed gives the same result. By
        default one is drawn.
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
    """The form of samples of a black box, and the estimates to compute.

    Parameters
    ----------
    secret
        The column of the secret; the first one by default. A file is refused if most samples have a secret that no
        other sample has: it shows nothing about a leak.
    confidence
        The probability with which each interval contains the true value, in (0, 1).
    method
        The guesser of secrets: frequentist (observations are equal or not), nearest-neighbours (they are points) or
        auto: frequentist for text and whole numbers, and for decimals where they repeat, else nearest-neighbours. The
        intervals hold for any guesser; a bad one makes them wide.
    all_secrets
        The file has samples of every possible secret. Without this option nothing bounds estimate_bayes_security from
        below: it is about the two secrets easiest to separate, and one that is not in the file may be easier.
    show_rare
        Name a secret even if fewer than 10 samples have it.
    epsilon
        Add estimate_privacy_profile: a lower bound of the δ for which the program is (ε, δ)-differentially private at
        this ε, from a file of two secrets, which stand for two neighboring inputs. With --delta the text shows whether
        the samples refute the claim of both.
    delta
        Add estimate_epsilon: a lower bound of the ε for which the program is (ε, δ)-differentially private at this δ.
    half_width
        Add samples_needed: the number of samples that gives estimate_bayes_risk an interval of at most ± this.
    header
        Whether the first line holds names: yes, no (it is a sample), or the names as a,b,… for a file without them. By
        default a first line that looks like a sample is refused.
    seed
        The seed of the random order of the samples: the same seed gives the same result. By default one is drawn, which
        the result shows.
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
    """The form of received reports, and the estimation of shares.

    Parameters
    ----------
    labels
        The names of the values, in order; by default their numbers, from 0.
    encoding
        The format of a report on its line: hex (the bytes that the client sends, in hex) or json (a whole number, or a
        list of the bits or values); by default as the suffix .hex, .jsonl or .ndjson shows.
    confidence
        The probability with which each interval contains the true share, in (0, 1).
    simultaneous
        Make the intervals of all values contain the true shares at once with that probability.
    estimator
        The method that estimates the shares from the counts: raw (unbiased, but shares may be below 0 or above 1),
        clipped (negative ones are 0, the others divided by their sum), norm_sub (the nearest shares) or ibu (the
        likeliest shares, by the iterative Bayesian update, which holds all reports in memory). The intervals are the
        same for all.
    """

    labels: Names = ()
    encoding: Encoding | None = None
    confidence: float = 0.95
    simultaneous: bool = False
    estimator: Estimator = "raw"
