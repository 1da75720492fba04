"""The form of a table's columns: what each is for, as the options of an audit have it."""

from typing import cast

from discretion.jobs.options.column_roles import with_roles
from discretion.jobs.options.tables import NO_PERSON, AuditOptions
from discretion.web.doors import Question, Texts

# What the field of a column's role is called, before the column's name; and the field of whose the rows are.
ROLE = "as:"
EACH_ROW = "rows"


def settled(texts: Texts) -> dict[str, list[str]] | None:
    """Return the options that the roles of columns in a form come to, with its other fields; None if it has no roles.

    Examples
    --------
    >>> settled({"about": ["people.csv"], "k": [""], "as:sex": ["goes out"], "as:zip": ["does not go out"]})
    {'about': ['people.csv'], 'drop': ['zip']}
    """
    roles = {name.removeprefix(ROLE): given[-1] for name, given in texts.items() if name.startswith(ROLE)}
    if not roles:
        return None
    others = {name: given for name, given in texts.items() if not name.startswith(ROLE) and name != EACH_ROW}
    others["person"] = [NO_PERSON] if EACH_ROW in texts else []
    question = Question.of_texts("columns", others)
    options = with_roles(cast(AuditOptions, question.options), roles)
    return {"about": [*question.about], **options.texts()}
