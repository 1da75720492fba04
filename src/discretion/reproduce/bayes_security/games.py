"""Game 1 and Figure 2: the games behind β(π, C), β* and ε, played."""

import math
from collections.abc import Callable, Iterator, Mapping

import discretion as dc
from discretion.reproduce.bayes_security.meanings import SYSTEMS
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction, Row, exact

_ROUNDS = 100_000
_CONFIDENCE = 0.95
_SEED = 2023
# The games need an explicit channel, which noise between two numbers does not have.
_SYSTEMS = {name: system for name, system in SYSTEMS.items() if system.secrets > 2}
_PRIORS: Mapping[str, Callable[[int], list[float]]] = {
    "uniform": lambda k: [1 / k] * k,
    "twice as likely each": lambda k: [2.0**-i / (2 - 2.0 ** (1 - k)) for i in range(k)],
}


def game_1() -> Reproduction:
    """Return the share of games of IND-BAY that the adversary wins, for each system under two priors."""
    games = {
        (name, prior): (dc.security.indistinguishability_game(system, law(system.secrets)), law(system.secrets))
        for name, system in _SYSTEMS.items()
        for prior, law in _PRIORS.items()
    }
    rows = tuple(_played(name, f"prior: {prior}", game) for (name, prior), (game, _) in games.items())

    def published() -> Iterator[Published]:
        for (name, prior), (game, law) in games.items():
            kept = exact(dc.bayes_security(_SYSTEMS[name], law)) * (1 - max(law))
            yield Published("eq. in section II", f"{name}, {prior}: wrong", "β(π, C) G(π)", kept, 1 - game.chance)

    return Reproduction(
        rows,
        lambda: _chart(rows, "Game 1: the share of correct guesses of the secret"),
        tuple(published()),
        (_covered(rows),),
    )


def figure_2() -> Reproduction:
    """Return the shares of games of IND-MINBAY and IND-LDP that the adversary wins, for each system."""
    games = {
        name: (dc.security.chosen_secrets_game(system), dc.security.chosen_observation_game(system))
        for name, system in _SYSTEMS.items()
    }
    rows = tuple(_played(name, game.name, game) for name, both in games.items() for game in both)

    def published() -> Iterator[Published]:
        for name, (secrets, observation) in games.items():
            system = _SYSTEMS[name]
            security, epsilon = exact(dc.bayes_security(system)), exact(dc.ldp_epsilon(system))
            yield Published(
                "Figure 2, left", f"{name}: one minus the advantage", "β*", security, 2 - 2 * secrets.chance
            )
            lost = 1 - observation.chance
            odds = math.log(observation.chance / lost) if lost else math.inf
            if math.isfinite(epsilon):
                yield Published("footnote 2", f"{name}: log-odds of winning", "ε", epsilon, odds)

    words = (
        "An adversary who may also choose the observation wins at least as often: ε is the risk of one observation, β* "
        "that of all of them."
    )
    return Reproduction(
        rows, lambda: _chart(rows, "Figure 2: the games for β* and for ε"), tuple(published()), (_covered(rows), words)
    )


def _played(name: str, column: str, game: dc.security.Game) -> Row:
    won = game.play(_ROUNDS, _CONFIDENCE, _SEED)
    return {
        "mechanism": name, "game": column, "chance": game.chance, "rounds": _ROUNDS, "won": won.value,
        "low": won.low, "high": won.high,
    }  # fmt: skip


def _covered(rows: tuple[Row, ...]) -> str:
    covered = sum(row["low"] <= row["chance"] <= row["high"] for row in rows)
    return (
        f"Of {len(rows)} games of {_ROUNDS:,} rounds each, {covered} have the chance within their {_CONFIDENCE:.0%} "
        "interval."
    )


def _chart(rows: tuple[Row, ...], title: str) -> object:
    cells = [
        {"row": row["mechanism"], "column": row["game"], "ours": row["chance"], "printed": f"won {row['won']:.4f}",
         "remark": ""}
        for row in rows
    ]  # fmt: skip
    notes = (f"The share of {_ROUNDS:,} rounds that the adversary won; below and shaded, its probability of winning.",)
    words = "; ".join(f"{row['mechanism']}, {row['game']}: {row['chance']:.4f}" for row in rows)
    return channel_cells(cells, title, notes).properties(
        description=f"Cells: probabilities of winning by mechanism. {words}."
    )
