"""What `leitai` writes fits the JSON schemas of the documents."""

import json

import jsonschema
import pytest

from conftest import ROOT

DOCS = ROOT / "docs"


def schema(name):
    found = json.loads((DOCS / f"{name}.schema.json").read_text())
    kind = jsonschema.validators.validator_for(found)
    kind.check_schema(found)
    return kind(found)


def faults(name, value):
    return [f"{fault.json_path}: {fault.message}" for fault in schema(name).iter_errors(value)]


def test_replays_fit_and_a_wrong_one_does_not(leitai_command, tmp_path):
    file = tmp_path / "game.json"
    words = ["snakego", "greedy", "random", "--seed", 7, "--config", "max_round=60"]
    leitai_command("match", *words, "--replay", file)
    replay = json.loads(file.read_text())
    assert faults("replay", replay) == []
    replay["legs"][0]["hashes"] = "xyz"
    assert faults("replay", replay) != []


def test_the_example_of_the_documents_fits():
    text = (DOCS / "replay-format.md").read_text()
    example = json.loads(text.split("```json")[1].split("```")[0])
    assert faults("replay", example) == []


@pytest.fixture(scope="module")
def games(leitai_command, tmp_path_factory):
    """A folder with a lost match and a file that is no replay."""
    folder = tmp_path_factory.mktemp("games")
    leitai_command("match", "kob", "random", "space", "--seed", 3, "--replay", folder / "one.json")
    (folder / "broken.json").write_text('{"format":')
    return folder


@pytest.mark.parametrize(
    "words, shown, fails",
    [
        (["one.json"], "legs", False),
        (["one.json", "--leg", 2, "--entrant", "random"], "legs", False),
        (["one.json", "broken.json", "--entrant", "random"], "failed", True),
    ],
)
def test_analyses_fit_and_a_wrong_one_does_not(leitai_command, games, words, shown, fails):
    words = [games / word if str(word).endswith(".json") else word for word in words]
    analysis = json.loads(leitai_command("analyze", *words, "--budget", 20, "--json", fails=fails))
    assert faults("analysis", analysis) == []
    assert analysis[shown]
    analysis[shown] = "none"
    assert faults("analysis", analysis) != []
