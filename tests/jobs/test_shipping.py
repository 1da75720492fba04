"""What is shipped: parameters that make the same reports, and code and a notebook that run."""

import json
import shutil
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import discretion as dc
from discretion.jobs.shipping import DesignNumber, Shipment, parameters_of, read_parameters
from mechanisms.table import INFORMATIVE, MECHANISMS
from oracles.clients import law_of_reports
from support.cli_runner import run

EXTENDED = [
    pytest.param(dc.LocalHashing(7, epsilon=1, g=9), id="classes of GF(9)"),
    pytest.param(dc.LocalHashing(5, epsilon=1, g=6), id="classes of GF(2) and GF(3)"),
    pytest.param(dc.LocalHashing(9, epsilon=1, g=8), id="classes of GF(8)"),
    pytest.param(dc.Exponential([[2, 1, 0], [1, 2, 1]], epsilon=1), id="exponential"),
]
LARGE = [
    dc.RandomizedResponse(10**6, epsilon=5),
    dc.UnaryEncoding.oue(1000, epsilon=1),
    dc.LocalHashing(10**6, epsilon=3),
    dc.SubsetSelection(1000, epsilon=5),
    dc.HadamardResponse(1000, epsilon=1),
]
KRR = dc.RandomizedResponse(12, epsilon=5.61)


@pytest.mark.parametrize("mechanism", [*MECHANISMS, *EXTENDED])
def test_a_client_of_the_parameters_has_the_channel_of_the_mechanism(mechanism):
    parameters = json.loads(json.dumps(parameters_of(mechanism), allow_nan=False))
    channel = mechanism.channel()
    expected = channel.dense()
    for value in range(mechanism.k):
        law = law_of_reports(parameters, value)
        found = [float(law[label]) for label in channel.outputs]
        assert found == pytest.approx(expected[value].tolist(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("mechanism", [*MECHANISMS, *EXTENDED, *LARGE])
def test_parameters_make_the_same_mechanism_with_the_same_reports(mechanism):
    labels = [f"value {value}" for value in range(min(mechanism.k, 1000))] if mechanism.k <= 1000 else []
    parameters = json.loads(json.dumps(parameters_of(mechanism, labels), allow_nan=False))
    again = read_parameters(parameters)
    assert type(again) is type(mechanism)
    values = np.arange(50) % mechanism.k
    sent, sent_again = ([made.encode(r) for r in made.sample(values, rng=1)] for made in (mechanism, again))
    assert sent == sent_again
    assert {len(each) for each in sent} == {parameters["wire"]["bytes"]}
    assert parameters["wire"]["bits"] == 8 * mechanism.report_width


@pytest.mark.parametrize(
    ("mechanism", "draws", "hashes", "width"),
    [
        (dc.RandomizedResponse(1000, epsilon=1), 2, 0, 2),
        (dc.UnaryEncoding.oue(1000, epsilon=1), 1000, 0, 125),
        (dc.LocalHashing(1000, epsilon=1), 3, 1, 2),
        (dc.SubsetSelection(1000, epsilon=5), 8, 0, 14),
        (dc.HadamardResponse(1000, epsilon=1), 2, 0, 2),
    ],
)
def test_the_work_on_the_device_and_the_bytes_are_these(mechanism, draws, hashes, width):
    assert mechanism.device_work == (draws, hashes)
    assert mechanism.report_width == width


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 1.0}, "'epsilon' is not"),
        ({"k": 5, "extra": 1}, "'k', 'extra' are not"),
        ({"device": {}}, "'device' is not"),
        ({"device": {**KRR.device_recipe(), "coins": {"truth": {"rarer_face": 0, "threshold": "0b"}}}}, "'device' is"),
        ({"device": {**KRR.device_recipe(), "coins": {"truth": {"rarer_face": 0, "threshold": "x"}}}}, "'device' is"),
        ({"mechanism": None}, "must have the text of their mechanism"),
        ({"mechanism": "channel-mechanism:/etc/passwd"}, "must not name a file"),
    ],
)
def test_parameters_that_were_changed_are_refused(changes, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        read_parameters(parameters_of(KRR) | changes)


def test_parameters_of_a_machine_that_rounds_otherwise_are_taken():
    parameters = parameters_of(KRR)
    coin = parameters["device"]["coins"]["truth"]
    coin["threshold"] = f"{int(coin['threshold'], 16) + 1:016x}"
    parameters["support"]["own"] = np.nextafter(parameters["support"]["own"], 1)
    assert read_parameters(parameters).epsilon == 5.61


@pytest.mark.parametrize("arguments", [{"labels": ["a"]}, {"shares": [0.5, 0.5]}, {"users": 0}])
def test_what_does_not_fit_the_mechanism_is_not_shipped(arguments):
    with pytest.raises(dc.errors.InvalidValueError):
        Shipment(**({"mechanism": KRR, "users": 10} | arguments))


def test_noise_on_a_number_is_not_shipped():
    with pytest.raises(dc.errors.UnsupportedError, match="a shipment needs a local mechanism on k values"):
        parameters_of(dc.Laplace(1))


def run_cells(notebook):
    """Run the cells of code one after the other, as a kernel does."""
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    return names


@pytest.mark.parametrize("mechanism", INFORMATIVE[::4])
@pytest.mark.parametrize("n", [1, 3000])
def test_the_notebook_of_any_mechanism_runs(mechanism, n):
    run_cells(Shipment(mechanism, n).notebook)


DESIGN = Shipment(
    KRR,
    50_000,
    labels=[f'"{letter}"' for letter in "abcdefghijkl"],
    shares=[0.3, 0.2, *[0.05] * 10],
    command=["discretion", "design", "--answers", "12", "--labels", "a b"],
    numbers=[
        DesignNumber("local ε", "dc.ldp_epsilon(mechanism)", 5.61),
        DesignNumber("the error in people", "dc.frequency_error(mechanism, n, shares).people", 17.3),
    ],
)


def test_the_numbers_of_the_design_are_checked():
    right = dc.frequency_error(KRR, 50_000, DESIGN.shares).people
    local = DESIGN.numbers[0]
    good = Shipment(KRR, 50_000, shares=DESIGN.shares, numbers=[
        local, DesignNumber("the error in people", DESIGN.numbers[1].expression, right),
        DesignNumber("at most", "dc.ldp_epsilon(mechanism)", dc.Estimate(6.0, 5.0, 6.0, None, "bound")),
    ])  # fmt: skip
    run_cells(good.notebook)
    with pytest.raises(AssertionError):
        run_cells(Shipment(KRR, 50_000, numbers=[DesignNumber("ε", local.expression, 5.6100001)]).notebook)


def test_the_notebook_is_one_of_format_4():
    notebook = json.loads(DESIGN.files["check.ipynb"])
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        assert {"cell_type", "id", "metadata", "source"} <= cell.keys()
        assert ("outputs" in cell) == (cell["cell_type"] == "code")
    assert "`discretion design --answers 12 --labels 'a b'`" in "".join(notebook["cells"][0]["source"])


def test_the_json_and_the_javascript_are_the_parameters():
    files = DESIGN.files
    assert json.loads(files["parameters.json"]) == DESIGN.parameters
    head, _, text = files["parameters.js"].partition("= ")
    assert head == "export const parameters "
    assert json.loads(text.removesuffix(";\n")) == DESIGN.parameters


@pytest.mark.long
def test_the_module_runs_by_itself(tmp_path):
    (tmp_path / "ship.py").write_text(DESIGN.files["randomize_and_tally.py"])
    done = subprocess.run(
        [sys.executable, "ship.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1,000 reports of krr:k=12,epsilon=5.61" in done.stdout


@pytest.mark.long
def test_a_javascript_engine_reads_the_module(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    (tmp_path / "parameters.mjs").write_text(DESIGN.javascript)
    code = "import('./parameters.mjs').then(m => console.log(JSON.stringify(m.parameters)))"
    done = subprocess.run([node, "-e", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert json.loads(done.stdout) == DESIGN.parameters


@pytest.mark.long
def test_the_notebook_runs_in_a_plain_kernel():
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: uv sync --group notebook")
    manager = pytest.importorskip("jupyter_client.manager", reason="uv sync --group notebook")
    started, client = manager.start_new_kernel(startup_timeout=120)
    try:
        for cell in Shipment(KRR, 50_000, numbers=DESIGN.numbers[:1]).notebook["cells"]:
            if cell["cell_type"] == "code":
                answer = client.execute_interactive("".join(cell["source"]), output_hook=lambda _: None, timeout=120)
                assert answer["content"]["status"] == "ok", "\n".join(answer["content"].get("traceback", []))
    finally:
        client.stop_channels()
        started.shutdown_kernel(now=True)


@pytest.mark.parametrize("k", [3, 12, 200])
def test_a_task_is_made_of_the_description_whose_question_is_the_one_designed(k, tmp_path):
    pytest.importorskip("discretion.collection", reason="the extra collect makes tasks")
    from discretion.collection.randomizers import randomizer_of
    from discretion.collection.wire.task import Task

    designed = dc.RandomizedResponse(k, epsilon=1.25)
    (tmp_path / "collect.toml").write_text(Shipment(designed, users=5000).task, encoding="utf-8")
    code, _, err = run("collect", "init", str(tmp_path / "collect.toml"), "--out", str(tmp_path / "made"))
    assert (code, err) == (0, "")
    task = Task.decoded((tmp_path / "made" / "task").read_bytes())
    (feature,) = task.features
    asked = randomizer_of(feature)
    assert (asked.k, asked.p) == (designed.k, designed.p)
    assert task.smallest_batch == 5000


@pytest.mark.parametrize(
    "mechanism", [dc.RandomizedResponse(2, epsilon=1), dc.RandomizedResponse(10**6, epsilon=1), *LARGE[1:]]
)
def test_no_task_is_shipped_that_no_collection_carries_out(mechanism):
    assert Shipment(mechanism, users=100).task is None


def test_the_labels_of_a_design_are_the_answers_of_its_task():
    task = tomllib.loads(Shipment(dc.RandomizedResponse(3, epsilon=1), 100, labels=['say "no"', "ja", "no"]).task)
    assert task["features"][0]["values"] == ['say "no"']
