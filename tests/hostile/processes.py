"""Threads that ask, forks at any moment among them, and pools: the right answers or the sentence, and nobody waits."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

_LONGEST = 120  # seconds, on a machine that is busy

# Threads ask a population and native loops, while processes are forked that ask these or make the population anew.
_PROGRAM = """
import os, random, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import tacit as tc
from tacit.errors import EngineError

draw = random.Random(int(sys.argv[2]))
COLUMNS = ("age", "town", "job")

def made():
    return tc.Population(sys.argv[1])

def closed_form(_):
    return float(tc.shuffle_epsilon(tc.Shuffled(tc.RandomizedResponse(3, epsilon=1.0), 40), 1e-6))

QUESTIONS = (
    lambda p: p.class_sizes(["age", "town"]).classes,
    lambda p: [sizes.classes for sizes in p.class_sizes_of_all([["age"], ["town"], ["age", "job"]])],
    lambda p: p.rarest_value("town"),
    lambda p: p.best_guesses(["age"], "job"),
    lambda p: sorted(p.common_values("job", 1)),
    lambda p: tc.generalised(p, "town", "any", {}, other="anywhere").class_sizes(["any"]).classes,
    closed_form,
)
population = made()
right = [question(made()) for question in QUESTIONS]
wrong, going = [], threading.Event()

def asking(seed):
    own = random.Random(seed)
    while not going.is_set():
        asked = own.randrange(len(QUESTIONS))
        whose = own.choice((population, made))
        answer = QUESTIONS[asked](whose() if whose is made else whose)
        if answer != right[asked]:
            wrong.append((asked, answer))

def in_a_fork():
    anew = draw.random() < 0.5
    asked = draw.randrange(len(QUESTIONS))
    child = os.fork()
    if child:
        return child
    signal.alarm(20)
    code = 1
    try:
        code = 0 if QUESTIONS[asked](made() if anew else population) == right[asked] else 3
    except EngineError as error:
        code = 4 if anew else 0 if "make it anew here" in str(error) else 5
    finally:
        os._exit(code)

threads = [threading.Thread(target=asking, args=(draw.random(),)) for _ in range(draw.randint(0, 2))]
for thread in threads:
    thread.start()
for _ in range(4):
    time.sleep(draw.random() * 0.05)
    child = in_a_fork()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        wrong.append(("fork", "waited for ever" if code == -signal.SIGALRM else code))
going.set()
for thread in threads:
    thread.join()
print(wrong)
"""


def case(draw: Random, folder: Path) -> None:
    people = folder / "people.csv"
    rows = (f"{draw.randint(0, 9)},{draw.choice('abc')},{draw.choice('xyz')}\n" for _ in range(draw.randint(20, 3000)))
    people.write_text("age,town,job\n" + "".join(rows))
    told = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(people), str(draw.randrange(2**32))],
        capture_output=True, text=True, timeout=_LONGEST, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert (told.returncode, told.stdout.strip(), told.stderr) == (0, "[]", ""), told
