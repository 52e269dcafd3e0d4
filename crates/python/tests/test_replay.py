"""Replays as arrays, from folders, archives and over HTTP."""

import http.server
import json
import sys
import threading
import tracemalloc
import types
import zipfile

import numpy as np
import pytest

import leitai.replay
import leitai.replay_files
from leitai import Replay, dataset, kob, snakego, tankcraft
from test_engine import BOTS, CONFIG, GAMES, play


def record(game, seed, bots=None):
    module = GAMES[game]
    names = bots or BOTS[game]
    return play(module.start(seed, CONFIG[game], record=True), [module.bot(name, seed) for name in names])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_arrays_are_what_was_seen_and_said(game, packed):
    leg = record(game, 4)
    replay = Replay.of(leg)
    arrays, at = replay.arrays(packed=packed), 0
    for now, token in replay.walk():
        said = token.split("/") if len(now.seats) == 2 else [token]
        for seat, word in zip(now.seats, said):
            assert np.array_equal(arrays["observation"][at], now.planes(seat, packed))
            assert np.array_equal(arrays["scalars"][at], now.scalars(seat))
            assert np.array_equal(arrays["action_mask"][at], now.mask(seat))
            assert arrays["action"][at].tolist() == now.index(word, seat)
            assert (arrays["seat"][at], arrays["round"][at]) == (seat, now.round)
            won = 0 if leg.winner is None else 1 if leg.winner == seat else -1
            assert arrays["outcome"][at] == won
            assert arrays["lead"][at] == leg.scores[seat] - leg.scores[1 - seat]
            at += 1
    assert at == len(arrays["action"]) and arrays["complete"]
    for action, mask in zip(arrays["action"].reshape(at, -1), arrays["action_mask"]):
        assert (np.atleast_2d(mask)[np.arange(len(action)), action] == 1).all(), "what was said was legal"


def test_faults_are_played_and_are_no_entries():
    leg = kob.start(1, record=True)
    leg.play("1/3")
    leg.play("2/!TLE")
    assert leg.is_over and leg.winner == 0 and leg.outcome["faults"] == [None, "TLE"]
    arrays = Replay.of(leg).arrays()
    assert len(arrays["action"]) == 3 and arrays["outcome"].tolist() == [1, -1, 1]
    assert arrays["action"].tolist() == [1, 1, 2], "the second seat's left is called right"


def test_a_folder_is_searched_and_what_is_no_replay_is_told(tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    Replay.of(record("kob", 1)).save(tmp_path / "a.json")
    Replay.of(record("snakego", 2, ("random", "random"))).save(tmp_path / "deep/er/b.json")
    text = Replay.of(record("kob", 3)).text
    (tmp_path / "c.jsonl").write_text(text + "\n" + text)
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("inside/e.json", text)
        archive.writestr("inside/readme.txt", "not a replay")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"format": "chess"}')
    (tmp_path / "notes.md").write_text("nothing")

    found = dataset(tmp_path)
    legs = list(found)
    assert sorted(leg["game"] for leg in legs) == ["kob"] * 4 + ["snakego"]
    assert sorted(name.rsplit("/", 1)[1] for name, _ in found.skipped) == ["broken.json", "other.json"]
    assert len(list(found)) == 5, "it can be iterated again"
    assert len(list(dataset(tmp_path, "snakego"))) == 1
    assert len(list(dataset(tmp_path / "d.zip"))) == 1
    with pytest.raises(ValueError, match="broken.json"):
        list(dataset(tmp_path, strict=True))
    with pytest.raises(FileNotFoundError):
        list(dataset(tmp_path / "nowhere"))


def test_the_matches_of_an_arenas_dataset_go_with_their_replays(tmp_path):
    day = tmp_path / "2026-11-20.zip"
    rows = [{"id": 7, "game": "kob", "replay": "replays/7.json"}, {"id": 8, "game": "snakego", "replay": None}]
    with zipfile.ZipFile(day, "w") as archive:
        archive.writestr("replays/7.json", Replay.of(record("kob", 1)).text)
        archive.writestr("matches.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        archive.writestr("dataset.json", '{"format": "leitai-dataset/1"}')
    (tmp_path / "index.json").write_text('{"format": "leitai-dataset/1", "days": {}}')
    found = dataset(tmp_path)
    sources = {leg["source"] for leg in found}
    assert found.skipped == [], "what is about the dataset is no broken replay"
    assert sources == {f"{day}/replays/7.json"}
    assert [(row["id"], row["source"]) for row in found.matches()] == [(7, f"{day}/replays/7.json"), (8, None)]
    assert [row["id"] for row in dataset(day, "kob").matches()] == [7]


def test_replays_of_other_rules_or_with_nonsense_are_left_out(tmp_path):
    text = Replay.of(record("kob", 1)).text
    (tmp_path / "rules.json").write_text(text.replace("kob/1", "kob/9"))
    (tmp_path / "token.json").write_text(text.replace('"replies":"', '"replies":"7/7 '))
    found = dataset(tmp_path)
    assert list(found) == []
    assert "kob/9" in found.skipped[0][1] and 'no action "7"' in found.skipped[1][1]


def test_a_url_is_read(tmp_path):
    body = Replay.of(record("tankcraft", 1, ("random", "random"))).text.encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        legs = list(dataset(f"http://127.0.0.1:{server.server_port}/replays/1.json"))
        server.shutdown()
        thread.join()
    assert len(legs) == 1 and legs[0]["action"].shape[1] == 5
    assert legs[0]["observation"].shape[1:] == tankcraft.layout().planes_shape()


def test_a_leg_that_does_not_exist_is_refused():
    replay = Replay.of(record("snakego", 1, ("random", "random")))
    with pytest.raises(ValueError, match="there is no leg 1"):
        replay.arrays(1)
    with pytest.raises(IndexError, match="no leg 3"):
        replay.end(3)
    assert snakego.load(replay.data["setup"]).hash() == snakego.start(1, CONFIG["snakego"]).hash()


def test_one_replay_is_in_memory_at_a_time(tmp_path, monkeypatch):
    text = Replay.of(record("kob", 1)).text
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(40):
            archive.writestr(f"{number}.json", text + " " * 500_000)
    (tmp_path / "many.jsonl").write_text((text.strip() + " " * 500_000 + "\n") * 40)
    tracemalloc.start()
    assert len(list(dataset(tmp_path))) == 80
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000_000, "the files have 40 MB"

    for module in (leitai.replay, leitai.replay_files):
        monkeypatch.setattr(module, "MAX_REPLAY", 400_000)
    found = dataset(tmp_path / "many.jsonl")
    assert list(found) == [] and len(found.skipped) == 40, "a line that is too long is one, whatever its length"


def test_a_card_says_what_is_in_it(tmp_path):
    Replay.of([record("kob", 1, ("safe", "random")), record("kob", 1, ("random", "safe"))], ("safe", "a|b")).save(tmp_path / "a.json")
    (tmp_path / "broken.json").write_text("{")
    found = dataset(tmp_path)
    card = found.card()
    legs = [Replay.load(tmp_path / "a.json").end(number) for number in (0, 1)]
    won = [sum(leg.winner == seat for leg, seat in zip(legs, seats)) for seats in ((0, 1), (1, 0))]
    actions = sum(len(leg["action"]) for leg in found)
    for line in (
        "## kob, rules kob/1",
        "| matches | 1 |",
        "| legs | 2, 0 of them without an end |",
        f"| actions | {actions} |",
        f"| safe | 2 | {won[0]} | {2 - sum(won)} | {won[1]} |",
        f"| a\\|b | 2 | {won[1]} | {2 - sum(won)} | {won[0]} |",
        f"| `{tmp_path}/broken.json` | 1 | `021fb596db81e6d02bf3d2586ee3981fe519f275c0ac9ca76bbcf2ebb4097d96` |",
    ):
        assert line in card.splitlines(), card
    assert f"- {tmp_path}/broken.json: " in card
    assert "no match in it" in dataset(tmp_path / "broken.json").card()
    with pytest.raises(ValueError, match="broken.json"):
        dataset(tmp_path, strict=True).card()


def test_episodes_for_minari_are_what_a_seat_saw_and_said(tmp_path, monkeypatch):
    """With the library's place taken by a list; the library itself reads them in test_learners.py."""
    names = ["minari", "minari.data_collector", "minari.data_collector.episode_buffer", "minari.storage", "minari.storage.datasets_root_dir"]
    library, _, buffers, _, root = modules = [types.ModuleType(name) for name in names]

    def create(dataset_id, episodes, **given):
        (tmp_path / "sets" / dataset_id).mkdir(parents=True)
        storage = types.SimpleNamespace(update_metadata=given.update)
        return types.SimpleNamespace(name=dataset_id, episodes=list(episodes), given=given, storage=storage)

    library.create_dataset_from_buffers, buffers.EpisodeBuffer = create, types.SimpleNamespace
    root.get_dataset_path = lambda dataset_id: tmp_path / "sets" / dataset_id
    for name, module in zip(names, modules):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "leitai.minari", raising=False)
    from leitai import minari

    cut = kob.start(5, record=True)
    cut.step(*(cut.legal_actions(seat)[0] for seat in (0, 1)))
    whole = record("kob", 1)
    Replay.of(whole).save(tmp_path / "a.json")
    Replay.of(cut).save(tmp_path / "b.json")
    walks, open_files = [], leitai.replay_files.open_files
    monkeypatch.setattr(leitai.replay_files, "open_files", lambda source: walks.append(source) or open_files(source))
    data = minari.write(tmp_path, "kob/x-v0", author="ada")
    episodes, given = data.episodes, data.given
    assert walks == [tmp_path], "the source is read once"
    assert data.name == "kob/x-v0" and given["author"] == "ada" and given["description"] == dataset(tmp_path).card()
    assert "| matches | 2 |" in given["description"]
    assert [len(one.actions) + 1 for one in episodes] == [len(one.observations["scalars"]) for one in episodes]
    wanted = 0 if whole.winner is None else 1 - 2 * whole.winner
    assert [float(one.rewards[-1]) for one in episodes] == [wanted, -wanted, 0, 0]
    assert [bool(one.terminations[-1]) for one in episodes] == [True, True, False, False]
    assert [bool(one.truncations[-1]) for one in episodes] == [False, False, True, True]
    assert np.array_equal(episodes[1].observations["observation"][-1], whole.observe(1)["observation"])
    assert given["env"].kwargs["config"] == json.loads((tmp_path / "a.json").read_text()).get("config")

    Replay.of(record("snakego", 2, ("random", "random"))).save(tmp_path / "c.json")
    with pytest.raises(ValueError, match="matches of kob, snakego; choose one by game="):
        minari.write(tmp_path, "x-v0")
    assert not (tmp_path / "sets/x-v0").exists(), "a data set that failed is gone"
    with pytest.raises(ValueError, match="no replay of tankcraft"):
        minari.write(tmp_path, "x-v0", game="tankcraft")
