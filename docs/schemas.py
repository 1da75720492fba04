"""The JSON Schemas of what commands print and of files that others read: ``python docs/schemas.py`` writes them.

They are made of the types that the results are made of, so that a field that is renamed is renamed in its schema.
"""

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from discretion import Estimate
from discretion.anonymity.exposure.theorem_bounds import TheoremBound
from discretion.anonymity.people.counts_files import SCHEMA_VERSION as MARGINALS_VERSION
from discretion.information.privacy.worst_case import WorstCaseReport
from discretion.jobs.audit.result import Audit
from discretion.jobs.check.result import ColumnsRule, NumberRule
from discretion.jobs.diff.result import Decision as DiffDecision, Diff
from discretion.jobs.estimate import BlackBoxEstimates
from discretion.jobs.exposure import ColumnBounds
from discretion.jobs.gates import Verdict, Word
from discretion.jobs.options import Options
from discretion.jobs.options.mechanisms import (
    CompareOptions,
    DesignOptions,
    EstimateOptions,
    Estimator,
    MeasureOptions,
    TallyOptions,
)
from discretion.jobs.options.tables import (
    AuditOptions,
    CheckOptions,
    DiffOptions,
    ExposureOptions,
    ReleaseOptions,
    SyntheticOptions,
)
from discretion.jobs.release.result import Release
from discretion.jobs.scenario import Scenario
from discretion.jobs.shipping import PARAMETERS_VERSION
from discretion.jobs.synthetic.result import Decision as SyntheticDecision, SyntheticRisk
from discretion.presenting.json_answers import SCHEMA_VERSION

Schema = dict[str, Any]

FOLDER = Path(__file__).parent / "reference" / "schemas"

Number = float | Estimate
Names = Sequence[str]
TEXT: Schema = {"type": "string"}
_LIMITS: dict[str, Any] = {"memory": str | None, "time": str | None}
_NUMBER: Schema = {
    "description": "A number. What JSON has no number for is text: infinities, and what is not defined.",
    "anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}],
}
_SIMPLE: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: TEXT,
    type(None): {"type": "null"},
    Any: {},
}
_KINDS: list[Schema] = [
    {"properties": {"kind": {"const": "bound"}, "confidence": {"type": "null"}, "assuming": {"type": "null"}}},
    {"properties": {"kind": {"const": "estimate"}, "confidence": {"type": "number"}, "assuming": {"type": "null"}}},
    {"properties": {"kind": {"const": "assumption"}, "assuming": {"type": "string"}}},
]


class Definitions:
    """The schemas of the types that one schema uses, each by the name of its class.

    Examples
    --------
    >>> definitions = Definitions()
    >>> definitions.of(int | None), definitions.of(tuple[float, ...])
    ({'anyOf': [{'type': 'integer'}, {'type': 'null'}]}, {'type': 'array', 'items': {'$ref': '#/$defs/Number'}})
    >>> [*definitions.named]
    ['Number']
    """

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}
        self._kinds: dict[str, Any] = {}

    def of(self, hint: Any) -> Schema:
        """Return the schema of a type, or a schema as it is."""
        if isinstance(hint, dict):
            return hint
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        if hint in (float, Fraction):
            return self.reference("Number", _NUMBER)
        if isinstance(hint, type) and issubclass(hint, Estimate):
            return self._of_estimate(hint)
        if is_dataclass(hint):
            return self._of_dataclass(hint)
        return self._of_generic(hint)

    def reference(self, name: str, schema: Schema) -> Schema:
        """Return a reference to a schema that is named here."""
        self.named.setdefault(name, schema)
        return {"$ref": f"#/$defs/{name}"}

    def fixed(self, keys: Mapping[Any, Any], optional: Iterable[str] = ()) -> Schema:
        """Return the schema of an object with these keys and no others, each of a type."""
        left_out = {*optional}
        return {
            "type": "object",
            "properties": {name: self.of(hint) for name, hint in keys.items()},
            "required": [name for name in keys if name not in left_out],
            "additionalProperties": False,
        }

    def any_of(self, hints: Iterable[Any]) -> Schema:
        """Return the schema of a value of one of these types."""
        schemas: list[Schema] = []
        for hint in hints:
            if (schema := self.of(hint)) not in schemas:
                schemas.append(schema)
        if self.named.get("Number") and {"$ref": "#/$defs/Number"} in schemas:
            schemas = [schema for schema in schemas if schema != {"type": "integer"}]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _of_generic(self, hint: Any) -> Schema:
        kind, parts = get_origin(hint), get_args(hint)
        if kind in (Union, types.UnionType):
            return self.any_of(parts)
        if kind is Literal:
            return {"enum": [*parts]}
        if kind is tuple and parts[-1] is not Ellipsis:
            places = [self.of(part) for part in parts]
            return {"type": "array", "prefixItems": places, "items": False, "minItems": len(places)}
        if isinstance(kind, type) and issubclass(kind, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if isinstance(kind, type) and issubclass(kind, Sequence):
            return {"type": "array", "items": self.of(parts[0])}
        raise TypeError(f"no schema is known of the type {hint}")

    def _of_dataclass(self, kind: Any) -> Schema:
        name = kind.__name__
        if self._kinds.setdefault(name, kind) is not kind:
            raise TypeError(f"two types of one schema are called {name}")
        if name not in self.named:
            self.named[name] = {}  # a type may hold itself
            self.named[name] = self.fixed(types_of(kind))
        return self.reference(name, {})

    def _of_estimate(self, kind: type[Estimate]) -> Schema:
        computed = {name: get_type_hints(getattr(Estimate, name).fget)["return"] for name in ("kind", "value_is")}
        return self.reference(
            kind.__name__, self.fixed(types_of(kind, without=("safe",)) | computed) | {"oneOf": _KINDS}
        )


def types_of(kind: Any, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields of a dataclass, each with its type."""
    hints, left_out = get_type_hints(kind), {*without}
    return {field.name: hints[field.name] for field in fields(kind) if field.name not in left_out}


def answer(
    command: str,
    about: str,
    inputs: Mapping[Any, Any],
    results: Schema,
    definitions: Definitions,
    *,
    value: Any = None,
) -> Schema:
    """Return the schema of what a command prints; ``value`` is what a gate compares, where it is no common one."""
    gate = definitions.of(Verdict)
    if value is not None:
        definitions.named["Verdict"] = definitions.fixed(types_of(Verdict) | {"value": value})
    keys: dict[str, Any] = {
        "schema_version": {"const": SCHEMA_VERSION},
        "command": {"const": command},
        "inputs": definitions.fixed(inputs),
        "results": results,
        "gates": {"type": "array", "items": gate, "minItems": 1},
    }
    title, schema = f"discretion {command} --json: {about}", definitions.fixed(keys, ["gates"])
    return _whole(command.replace(" ", "-"), SCHEMA_VERSION, title, schema, definitions)


def _whole(name: str, version: int, title: str, schema: Schema, definitions: Definitions) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:discretion:schema:{version}:{name}",
        "title": title,
        **schema,
        "$defs": dict(sorted(definitions.named.items())),
    }


def _options(options: type[Options], *first: str, **others: Any) -> dict[str, Any]:
    """Return the inputs of a command: what it is about, its options, and others or what it knows better of them."""
    return {**dict.fromkeys(first, str), **types_of(options), **others}


def _measures() -> dict[str, Any]:
    """Return the measures of a system, each with its type."""
    everything = Scenario(epsilon=1.0, delta=0.1, false_positive_rate=0.1)
    names = [
        "prior_vulnerability", *everything.questions(), "multiplicative_bayes_capacity", "shannon_capacity",
        "ldp_epsilon", "asymptotic_bayes_security", "worst_case_privacy", "average_privacy", "asymptotic_utility",
        "effective_participation", "population_information", "distribution_utility", "tally_utility", "digit_utility",
    ]  # fmt: skip
    return dict.fromkeys(names, Number)


def _audit() -> Schema:
    made = Definitions()
    about = ("table", "person", "sensitive", "k", "preset", "budget", "guess_budget", "show_rare", "options")
    inputs = _options(AuditOptions, "table", columns=Names, k=int, guess_budget=float, **_LIMITS)
    results = made.fixed(types_of(Audit, without=about))
    return answer("audit", "what a table of people gives away, and what to do about it", inputs, results, made)


def _release_results() -> dict[str, Any]:
    goal = types_of(ReleaseOptions) | {"hierarchies": Names}
    return types_of(Release, without=("numbers",)) | {"goal": goal, "measures": Mapping[str, Number | None]}


def _release() -> Schema:
    made = Definitions()
    results = _release_results()
    inputs = _options(ReleaseOptions, "table", "out", ledger=str | None, **_LIMITS) | results["goal"]
    results["goal"] = made.fixed(results["goal"])
    return answer("release", "the table that was written, and what it cost", inputs, made.fixed(results), made)


def _release_record() -> Schema:
    made = Definitions()
    results = _release_results()
    results["goal"] = made.fixed(results["goal"])
    title = "OUT.discretion.json, the record that discretion release writes beside a file"
    schema = made.fixed({"schema_version": {"const": 1}, **results})
    return _whole("release-record", 1, title, schema, made)


def _exposure() -> Schema:
    made = Definitions()
    bounds = types_of(ColumnBounds) | {"theorem_bound": TheoremBound}
    uniques = {
        "max_size": int, "special_people": int, "minimal_uniques": list[int], "highest_score": float,
        "contributions": Mapping[str, float],
    }  # fmt: skip
    households = {
        "household": str, "households": int, "exposed_households": int, "household_exposure": float,
        "certain_households": int, "household_risk": Estimate, "household_risk_if_independent": Estimate,
    }  # fmt: skip
    wildcards = {
        "wildcards": Names, "people_with_wildcards": int, "wildcard_exposed_people": int, "wildcard_exposure": float,
        "wildcard_k_anonymity": int,
    }  # fmt: skip
    counted = {
        "exposure": float, "exposed_people": int, "people": int, "classes": int, "unique_rows": int,
        "left_out": Names,
    }  # fmt: skip
    added = bounds | {
        "special_uniques": made.fixed(uniques),
        "households": made.fixed(households),
        "wildcards": made.fixed(wildcards),
    }
    results = made.any_of([made.fixed(counted | added, added), made.fixed({"people": int, **bounds})])
    inputs = _options(ExposureOptions, "table", columns=Names, **_LIMITS)
    of_gate = float | Estimate | TheoremBound | None
    return answer("exposure", "who stands out in a table by a set of columns", inputs, results, made, value=of_gate)


def _check() -> Schema:
    made = Definitions()
    rule: dict[str, Any] = {"line": int, "rule": str, "verdict": Word}
    compared = types_of(Verdict, without=("of", "verdict"))
    rules = [
        made.fixed(types_of(ColumnsRule) | {"verdict": Word}),
        made.fixed(rule | types_of(NumberRule, without=("gate",)) | compared),
        made.fixed(rule | {"missing": str, "why": str}),
    ]
    file = {
        "people": int, "columns": Names, "rules": {"type": "array", "items": {"anyOf": rules}}, "notes": Names,
    }  # fmt: skip
    inputs = _options(CheckOptions, files=Names, **_LIMITS)
    results: Schema = {"type": "object", "additionalProperties": made.fixed(file), "minProperties": 1}
    return answer("check", "whether files keep to a policy; results by file", inputs, results, made)


def _diff() -> Schema:
    made = Definitions()
    results = types_of(Diff, without=("old_numbers", "new_numbers"))
    whole = made.fixed({"decision": DiffDecision, **results, "measures": Mapping[str, Number]})
    inputs = _options(DiffOptions, "old", "new", **_LIMITS)
    return answer("diff", "two tables of people side by side", inputs, whole, made)


def _synthetic() -> Schema:
    made = Definitions()
    first = {"decision": SyntheticDecision, "risk": Estimate, "inconclusive": Names}
    inputs = _options(SyntheticOptions, "original", "synthetic", "control", seed=int, **_LIMITS)
    results = made.fixed(first | types_of(SyntheticRisk))
    return answer("synthetic", "whether a synthetic table gives away its people", inputs, results, made)


def _measure() -> Schema:
    made = Definitions()
    measures = _measures() | {
        "leakiest_pair": tuple[int, int],
        "frequency_error": made.fixed({"share": float, "people": float}),
        "worst_case_report": made.fixed(dict.fromkeys(types_of(WorstCaseReport), Any)),
        "not_computed": Mapping[str, str],
    }
    inputs = _options(MeasureOptions, "mechanism", seed=int, time=str | None)
    return answer("measure", "the measures of a mechanism", inputs, made.fixed(measures, measures), made)


def _compare() -> Schema:
    made = Definitions()
    error = made.reference("FrequencyError", made.fixed({"share": Number, "people": Number}))
    point: dict[str, Any] = {
        "epsilon": float, "worst_case_privacy": Number, "average_privacy": Number, "effective_participation": Number,
        "frequency_error": error,
    }  # fmt: skip
    varied, best = (
        {"type": "array", "items": made.fixed(point | last, [*point][2:])} for last in ({"given": bool}, {"gap": float})
    )
    why_not = made.fixed({"not_computed": str})
    claims = ("posterior_vulnerability", "bayes_security", "privacy_profile", "dp_epsilon")
    shuffled = dict.fromkeys(claims, Number)
    target = {
        "value": Number, "smallest_crowd": Number, "largest_epsilon": Number, "met": bool | None,
        "error_at_largest_epsilon": error,
    }  # fmt: skip
    row: dict[str, Any] = dict.fromkeys(
        ("ldp_epsilon", *claims, "average_privacy", "effective_participation"), Number
    ) | {
        "shuffled": made.fixed(shuffled, shuffled),
        "frequency_error": error,
        "target": made.fixed(target, target),
        "not_computed": Mapping[str, str],
        "curve": varied,
    }
    pair: Schema = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
    order = made.fixed(
        {
            "classes": list[list[str]],
            "covers": {"type": "array", "items": made.fixed({"refined": list[str], "by": list[str]})},
            "incomparable": {"type": "array", "items": made.fixed({"pair": pair, "gaps": tuple[float, float]})},
            "undecided": {"type": "array", "items": made.fixed({"pair": pair, "reason": str})},
        }
    )
    results: Schema = {
        "type": "object",
        "properties": {
            "refinement": made.any_of([order, why_not]),
            "optimal_mechanism": made.any_of([made.fixed({"curve": best}), why_not]),
        },
        "additionalProperties": made.fixed(row, row),
    }
    inputs = _options(CompareOptions, mechanisms=Names, seed=int, time=str | None)
    return answer("compare", "mechanisms side by side; results by mechanism", inputs, results, made)


def _design() -> Schema:
    made = Definitions()
    seen = dict.fromkeys(
        ("posterior_vulnerability", "uniform_posterior_vulnerability", "bayes_security", "dp_epsilon"), Number
    )
    alone = dict.fromkeys(("posterior_vulnerability", "ldp_epsilon"), Number)
    protocol = made.reference(
        "ProtocolDesign",
        made.fixed(
            {
                "mechanism": str,
                "epsilon": float,
                "users": int,
                **seen,
                "alone": made.fixed(alone, alone),
                "frequency_error": made.fixed({"share": float, "people": float, "half_width": float}),
                "bits": int,
                "work": made.fixed({"random_draws": int, "hash_evaluations": int}),
                "undecided": Names,
            },
            seen,
        ),
    )
    results = {
        "recommended": made.any_of([protocol, type(None)]), "runner_up": str | None, "goals": Names, "adversary": str,
        "prior_vulnerability": float, "largest_epsilon": float | None, "may_be_better": Names,
        "protocols": {"type": "object", "additionalProperties": protocol}, "not_computed": Mapping[str, str],
    }  # fmt: skip
    inputs = _options(DesignOptions, ship=str | None, seed=int, time=str | None)
    return answer("design", "which randomizer, which ε, how many people", inputs, made.fixed(results), made)


def _tally() -> Schema:
    made = Definitions()
    value = {"value": str} | dict.fromkeys(("share", "low", "high", "people", "people_low", "people_high"), float)
    results = {
        "mechanism": str, "reports": int, "bad_reports": int, "bad_lines": Names, "estimator": Estimator,
        "confidence": float, "simultaneous": bool, "values": {"type": "array", "items": made.fixed(value)},
    }  # fmt: skip
    inputs = _options(TallyOptions, "reports", "mechanism", **_LIMITS)
    return answer("tally", "the share of each value, from reports", inputs, made.fixed(results), made)


def _estimate() -> Schema:
    made = Definitions()
    optional = {"estimate_privacy_profile": Estimate, "estimate_epsilon": Estimate, "samples_needed": int}
    results = types_of(BlackBoxEstimates, without=("convergence", "whole_numbers", "path", "options")) | optional
    inputs = _options(EstimateOptions, "samples", seed=int, **_LIMITS)
    whole = made.fixed(results, [*optional, "not_computed"])
    return answer("estimate", "how well a black box hides its secrets, from samples", inputs, whole, made)


def _reproduce() -> Schema:
    made = Definitions()
    published = {
        "where": str, "what": str, "printed": str, "published": float, "ours": float, "difference": float,
        "agrees": bool, "remark": str,
    }  # fmt: skip
    item = {
        "published": {"type": "array", "items": made.fixed(published)}, "agree": int, "findings": Names, "files": Names,
    }  # fmt: skip
    paper = {
        "citation": str, "folder": str | None, "items": {"type": "object", "additionalProperties": made.fixed(item)},
    }  # fmt: skip
    listed: Schema = {
        "type": "object",
        "additionalProperties": made.fixed({"citation": str, "items": Mapping[str, str]}),
    }
    inputs = dict.fromkeys(("paper", "figure", "out", "time"), str | None)
    about = "the numbers of a paper beside those that it prints, or the list of papers"
    return answer("reproduce", about, inputs, made.any_of([made.fixed(paper), listed]), made)


def _collect_plan() -> Schema:
    from discretion.collection.planning import CollectionPlan  # noqa: PLC0415 - the extra collect

    made = Definitions()
    inputs = {
        "description": str, "users": int, "like": str | None, "shares": str | None, "header": str | None,
        "seed": int | None,
    }  # fmt: skip
    about = "how many people a collection needs"
    return answer("collect plan", about, inputs, made.fixed(types_of(CollectionPlan)), made)


def _collect_result() -> Schema:
    made = Definitions()
    curator, analyst, leaks = _collected(made)
    curator["properties"]["leaks"] = leaks
    curator["required"].append("leaks")
    inputs = {"home": str, "html": str | None, "parquet": str | None, "show_rare": bool}
    about = "what a curator or an analyst counted"
    return answer("collect result", about, inputs, made.any_of([curator, analyst]), made)


def _collect_simulate() -> Schema:
    from discretion.collection.results.truth import TruthComparison  # noqa: PLC0415 - the extra collect

    made = Definitions()
    curator, analyst, leaks = _collected(made)
    asked = {"round": int, "receiver": Literal["analyst", "curator"], "groups": list[list[str]]}
    computed = {"agrees": bool, "is_inconclusive": bool, "verdict": str}
    results = {
        "counted": int, "lost": int, "differing": int, "exposure": Number | None, "certified_exposure": Number | None,
        "rounds": {"type": "array", "items": made.fixed(asked)}, "parties": Mapping[str, Mapping[str, Any]],
        "curator": made.any_of([curator, type(None)]), "analyst": made.any_of([analyst, type(None)]), "leaks": leaks,
        "beside": made.fixed(types_of(TruthComparison) | computed), "seconds": float,
    }  # fmt: skip
    inputs = {
        "table": str, "columns": Names | None, "users": int | None, "k": int, "budget": str, "shufflers": int,
        "curatorless": bool, "admitter": bool, "rounds": int, "by_value": bool, "other_people": str | None,
        "redact": str | None, "rule": Names, "noise": float | None, "randomize": Names, "cores": int, "seed": int,
        "header": str | None, **_LIMITS,
    }  # fmt: skip
    about = "a collection of a table's rows, and what each party saw"
    return answer("collect simulate", about, inputs, made.fixed(results), made)


def _collected(made: Definitions) -> tuple[Schema, Schema, Schema]:
    """Return the schemas of what a curator and an analyst counted, and of what a collection gives away."""
    from discretion.collection.results.analyst import Suppressed  # noqa: PLC0415 - the extra collect
    from discretion.collection.results.curator import CuratorResult, FeatureCounts  # noqa: PLC0415
    from discretion.collection.results.leaks import Leaks  # noqa: PLC0415
    from discretion.collection.wire.reports import ShufflerReport  # noqa: PLC0415

    reports = {"type": "array", "items": made.fixed(types_of(ShufflerReport) | {"digest": str})}
    answers = list[str | None]
    counted = {"answer": str | None, "reports": int | Estimate, "people": int | Estimate | None}
    feature = types_of(FeatureCounts) | {"counts": {"type": "array", "items": made.fixed(counted)}}
    del feature["people"]  # it stands with each count
    curator = types_of(CuratorResult) | {
        "features": {"type": "array", "items": made.fixed(feature)}, "shufflers": reports,
    }  # fmt: skip
    share = {"answers": answers, "share": Number, "standard_error": float}
    before = {"answers": answers, "share": Estimate}
    posterior = {"answer": str | None, "mean": float, "interval": tuple[float, float]}
    analyst = {
        "task": str, "people": int, "left": int, "withheld": bool, "k": int, "features": Names,
        "randomized": Mapping[str, str], "confidence": float | None,
        "shares": {"type": "array", "items": made.fixed(share)}, "suppressed": tuple[Suppressed, ...],
        "shares_before_redaction": {"type": "array", "items": made.fixed(before)},
        "rare": types_of(FeatureCounts)["rare"],
        "posterior": made.any_of([{"type": "array", "items": made.fixed(posterior)}, type(None)]),
        "exposure": Number, "dropped": int, "repeated": int, "unknown": int, "unadmitted": int, "shufflers": reports,
        "reach_of_one": float,
    }  # fmt: skip
    return made.fixed(curator), made.fixed(analyst), made.of(Leaks)


def _parameters() -> Schema:
    made = Definitions()
    coin = {"rarer_face": Literal[0, 1], "threshold": {"type": "string", "pattern": "^([0-9a-f]{2})*$"}}
    family = dict.fromkeys(("classes", "digits", "functions", "characteristic", "degree", "power_of_x"), int)
    row = {"reports": list[Any], "thresholds": list[int]}
    of_kinds: dict[str, Any] = {
        "size": int, "columns": int, "g": int, "functions": {"type": "string", "pattern": "^[0-9]+$"},
        "families": {"type": "array", "items": made.fixed(family)},
        "rows": {"type": "array", "items": made.fixed(row)},
    }  # fmt: skip
    coins: Schema = {"type": "object", "additionalProperties": made.fixed(coin)}
    keys: dict[str, Any] = {
        "parameters_version": {"const": PARAMETERS_VERSION}, "mechanism": str, "k": int, "epsilon": float,
        "labels": list[str] | None,
        "device": made.fixed({"rule": str, "coins": coins, **of_kinds}, of_kinds),
        "wire": made.fixed({"bytes": int, "bits": int, "layout": str}),
        "work": made.fixed({"random_draws": int, "hash_evaluations": int}),
        "support": made.any_of([made.fixed(dict.fromkeys(("own", "other", "gap"), float)), type(None)]),
    }  # fmt: skip
    title = "parameters.json, which discretion design --ship writes for clients in any language"
    return _whole("parameters", PARAMETERS_VERSION, title, made.fixed(keys), made)


def _marginals() -> Schema:
    made = Definitions()
    column = {"columns": list[str], "sizes": list[int], "counts": list[int]}
    written = made.fixed(
        {
            "schema_version": {"const": MARGINALS_VERSION},
            "people": int,
            "marginals": {"type": "array", "items": made.fixed(column)},
        }
    )
    by_value = made.of(Mapping[str, Mapping[str, int]])
    title = "Counts of columns, which discretion exposure --marginals reads: by value, or as Marginals.to_json writes"
    return _whole("marginals", MARGINALS_VERSION, title, {"anyOf": [written, by_value]}, made)


def schemas() -> dict[str, Schema]:
    """Return each schema by the name of its file; those of collections need the extra collect."""
    of_collections = (_collect_plan, _collect_result, _collect_simulate) if find_spec("cryptography") else ()
    made = (
        _audit(), _release(), _diff(), _synthetic(), _check(), _measure(), _compare(), _design(), _tally(), _exposure(),
        _estimate(), _reproduce(), _release_record(), _parameters(), _marginals(),
        *(make() for make in of_collections),
    )  # fmt: skip
    names = (schema["$id"].rsplit(":", 2)[1:] for schema in made)
    return {f"{name}-{version}.json": schema for (version, name), schema in zip(names, made, strict=True)}


def text_of(schema: Schema) -> str:
    """Return a schema as its file has it."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, schema in schemas().items():
        (FOLDER / name).write_text(text_of(schema), encoding="utf-8")
