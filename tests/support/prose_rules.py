"""What is not written in a page or in the help of a command, and what to write instead."""

import re
from typing import NamedTuple

from support.prose import Block


class Rule(NamedTuple):
    """Words that are not written, what is written instead, and a sentence with and one without them."""

    words: str
    instead: str
    wrong: str
    right: str


RULES = [
    # Software shows, lists, returns, reports and contains; it does not speak.
    Rule("says?|said|saying", "show, list, return, report, contain", "The result says this.", "An essay."),
    Rule("tells?|told|telling", "show, reveal, distinguish; an option sets", "It tells 3 bits.", "A teller."),
    Rule("without saying it", "gives away", "What data tells without saying it.", "Without an answer."),
    # A sentence has a noun as its subject.
    Rule("whoever|whomever", "the adversary, the reader, anyone who", "Whoever has it.", "Who has it?"),
    Rule("(?:of|for|with|to|from|by|than|in) whom", "a sentence of its own", "People of whom one is ill.",
         "One is ill."),
    Rule("that which", "the noun", "It is that which is sent.", "The table, which is sent."),
    Rule("who (?:looks? for|opens)", "the noun", "For who looks for it.", "Who is it?"),
    Rule("of (?:anybody|anyone)", "no limit, any person's", "Of anybody by default.", "Of any person."),
    Rule("(?:whereby|wherein|whereof|thereof|hereby|herein|therein)", "a sentence of its own", "Parts thereof.",
         "There."),
    Rule("as far as", "on these, within", "As far as it goes.", "Far away."),
    Rule("looks? as if", "look like", "They look as if they name people.", "They look like names."),
    # A thing has one name.
    Rule("besides?", "next to, with, in addition to, other than", "A file beside it.", "A side."),
    Rule("anew", "again", "It is computed anew.", "A new one."),
    Rule("alike", "the same, who share their values", "People who look alike.", "Like others."),
    Rule("so many", "this many, this number of", "With so many people.", "So much."),
    Rule("worth", "utility, value", "A guess is worth 1.", "The value of a guess."),
    Rule("wanted|loads of", "goal, cost", "The wanted number.", "An unwanted effect."),
    Rule("rightly|guess(?:ed|es) right|right guess(?:es)?", "correctly, correct guesses",
         "It is guessed right.", "A right."),
    Rule("promis(?:e|es|ed|ing)", "guarantee, bound, certify", "Nothing is promised.", "A compromise."),
    Rule("(?:certified|both|its) ends", "certified bounds", "Between certified ends.", "The server ends."),
    Rule("errors? of ours", "internal error", "This is an error of ours.", "An error."),
    Rule("mend(?:s|ed)?", "fix", "The mend comes later.", "An amendment."),
    Rule("no view", "no generalization within the goal", "No view was found.", "A view."),
    Rule("he|she|hers?|his|him", "it for an adversary, they for a person, you for the reader", "She sees it.", "The."),
    # American English.
    Rule(r"(?:col|behavi|fav|hon|neighb|lab)our\w*", "-or", "A colour.", "An hour of color."),
    Rule("(?:licen|defen|offen)ces?|(?:cent|met)res?", "-se, -er", "A licence.", "A license."),
    Rule(r"(?:cancel|label|model|travel|signal)l(?:ed|ing|er)", "one l", "It is labelled.", "It is labeled."),
    Rule(r"(?:general|real|organ|recogn|random|minim|maxim|optim|summar|normal|character|util|serial|initial|custom|author|"
         r"categor|formal|local|parameter|token|vector|visual|anonym|pseudonym|factor|final|special|standard|emphas)"
         r"is(?:e|es|ed|ing|er|ers|ation|ations)", "-ize", "A generalised value.", "A precise noise, otherwise."),
    Rule("(?:anal|catal)ys(?:e|ed|ing)|grey|catalogues?|programmes?|whilst|amongst|acknowledgements?|judgements?",
         "American spelling", "It is analysed.", "The analyses."),
]  # fmt: skip
# A sentence whose subject is a clause. A heading may ask, and so may the first words of a paragraph.
CLAUSE = re.compile(r"(?:(?<=[.;:!?] )|^)(?:What|Who) (?:[^.?!]|\.\w)+\.(?!\w)")


def findings(block: Block) -> list[str]:
    """Return each finding in a block, with what to write instead."""
    text = " ".join(block.text.split())
    found = [
        f"{match.group()!r} in {text[max(match.start() - 40, 0) : match.end() + 40]!r}: write {rule.instead}"
        for rule in RULES
        for match in re.finditer(rf"(?<!\w)(?:{rule.words})(?!\w)", text, re.IGNORECASE)
    ]
    if not block.is_heading:
        found += [f"{match.group()!r}: begin with a noun" for match in CLAUSE.finditer(text)]
    return found
