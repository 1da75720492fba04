"""Coarser values of Adult's nine usual columns, grouped as in the example that ARX comes with."""

import csv
from pathlib import Path

#: The columns in ARX's order.
COLUMNS = (
    "sex", "age", "race", "marital_status", "education", "native_country", "workclass", "occupation", "income",
)  # fmt: skip
_SCHOOLS = {
    "primary school": ("Preschool", "1st-4th", "5th-6th"),
    "high school": ("7th-8th", "9th", "10th", "11th", "12th", "HS-grad"),
    "professional": ("Assoc-acdm", "Assoc-voc", "Prof-school"),
    "undergraduate": ("Bachelors", "Some-college"),
    "graduate": ("Masters", "Doctorate"),
}
_STAGES = {"primary school": "primary", "high school": "secondary"}
_PARTS = {
    "North America": (
        "United-States", "Canada", "Mexico", "Puerto-Rico", "Cuba", "Jamaica", "Haiti", "Dominican-Republic",
        "Guatemala", "Honduras", "El-Salvador", "Outlying-US(Guam-USVI-etc)",
    ),
    "South America": ("Columbia", "Ecuador", "Peru", "Nicaragua", "Trinadad&Tobago"),
    "Asia": (
        "Cambodia", "India", "Japan", "China", "Iran", "Philippines", "Vietnam", "Laos", "Taiwan", "Thailand", "Hong",
    ),
    "Africa": ("South",),
}  # fmt: skip
_TECHNICAL = ("Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct")
_NONTECHNICAL = ("Sales", "Exec-managerial", "Handlers-cleaners")


def coarser(column: str, value: str) -> list[str]:  # noqa: PLR0911 - a hierarchy a column
    """Return what a value becomes, level by level, the last being everything."""
    match column:
        case "age":
            age = int(value) - 1  # ARX's file has 20 with those below
            return [*(f"{age // s * s + 1}-{age // s * s + s}" for s in (5, 10, 20)), "*"]
        case "marital_status":
            return ["spouse present" if value in ("Married-civ-spouse", "Married-AF-spouse") else "no spouse", "*"]
        case "education":
            school = next(name for name, held in _SCHOOLS.items() if value in held)
            return [school, _STAGES.get(school, "higher"), "*"]
        case "native_country":
            return [next((name for name, held in _PARTS.items() if value in held), "Europe"), "*"]
        case "workclass":
            return [
                "government" if value.endswith("-gov") else "unpaid" if value == "Without-pay" else "not government",
                "*",
            ]
        case "occupation":
            return [
                "technical" if value in _TECHNICAL else "nontechnical" if value in _NONTECHNICAL else "other",
                "*",
            ]
    return ["*"]


def write_hierarchies(folder: Path, values: dict[str, set[str]]) -> Path:
    """Write for each column the file that ARX would have of its values, and return the folder."""
    folder.mkdir(exist_ok=True)
    for column, held in values.items():
        with (folder / f"{column}.csv").open("w", newline="") as file:
            csv.writer(file, delimiter=";").writerows([value, *coarser(column, value)] for value in sorted(held))
    return folder
