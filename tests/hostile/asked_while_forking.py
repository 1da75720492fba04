"""A program: threads ask a population and native loops, while processes are forked that ask these or make it anew."""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable
from random import Random

import discretion as dc
from discretion.errors import DiscretionError, EngineError

LONGEST = 30  # seconds for an answer, on a machine that is busy


def closed_form(_: dc.Population) -> float:
    return float(
        dc.dp_epsilon(dc.Shuffled(dc.RandomizedResponse(3, epsilon=1.0), 40).seen_by(dc.WorstAllButOne()), 1e-6)
    )


QUESTIONS: tuple[Callable[[dc.Population], object], ...] = (
    lambda p: p.class_sizes(["age", "town"]).classes,
    lambda p: [sizes.classes for sizes in p.class_sizes_of_all([["age"], ["town"], ["age", "job"]])],
    lambda p: p.rarest_value("town"),
    lambda p: p.best_guesses(["age"], "job"),
    lambda p: sorted(p.common_values("job", 1)),
    lambda p: dc.anonymity.generalised(p, "town", "any", {}, other="anywhere").class_sizes(["any"]).classes,
    closed_form,
)


def wrong_answers(people: str, draw: Random) -> list[object]:
    def made() -> dc.Population:
        return dc.Population(people)

    population = made()
    right = [question(made()) for question in QUESTIONS]
    wrong: list[object] = []
    done = threading.Event()

    def asking(own: Random) -> None:
        while not done.is_set():
            asked = own.randrange(len(QUESTIONS))
            whose = population if own.random() < 0.5 else made()
            try:
                answer = QUESTIONS[asked](whose)
            except DiscretionError as error:
                wrong.append((asked, repr(error), repr(error.__context__)))
                return
            if answer != right[asked]:
                wrong.append((asked, answer))

    def forked() -> int:
        anew = draw.random() < 0.5
        asked = draw.randrange(len(QUESTIONS))
        child = os.fork()
        if child:
            return child
        faulthandler.dump_traceback_later(LONGEST, exit=True)  # with 1, saying where it waits
        code = 2
        try:
            code = 0 if QUESTIONS[asked](made() if anew else population) == right[asked] else 3
        except EngineError as error:
            code = 4 if anew else 0 if "make another population" in str(error) else 5
        finally:
            os._exit(code)

    threads = [threading.Thread(target=asking, args=(Random(draw.random()),)) for _ in range(draw.randint(0, 2))]
    for thread in threads:
        thread.start()
    for _ in range(4):
        time.sleep(draw.random() * 0.05)
        code = os.waitstatus_to_exitcode(os.waitpid(forked(), 0)[1])
        if code:
            wrong.append(("a fork", code))
    done.set()
    for thread in threads:
        thread.join()
    return wrong


if __name__ == "__main__":
    print(wrong_answers(sys.argv[1], Random(int(sys.argv[2]))))
