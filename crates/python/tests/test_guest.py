"""Games from files: one that asks one seat at a time and declares a board, one that asks both at once and hides cards."""

import copy
import json
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from zipfile import ZipFile

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import leitai
import leitai.gym
from leitai.layout import read_layout
from leitai.zoo import guest

#: The choice of Goofspiel that is cheap.
FOUR = {"cards": 4}

EXAMPLES = Path(__file__).parents[3] / "examples/games"

#: Tic-tac-toe with a declared board.
THREE = r"""
#include "leitai_game.hpp"
using namespace leitai;
struct Three {
    static constexpr int ACTIONS = 9;
    int cells[9] = {}, turn = 0, last = -1;
    static void write_action(int action, Out &out) { out << action + 1; }
    static void deal(Json, Rng &, Out &setup) { setup << "{}"; }
    const char *start(Json setup) { return setup.count() ? "a setup is {}" : nullptr; }
    void write_setup(Out &out) const { out << "{}"; }
    int max_rounds() const { return 9; }
    int round() const { return turn < 9 ? turn + 1 : 9; }
    bool has_line(int who) const {
        static const int LINES[8][3] = {{0,1,2},{3,4,5},{6,7,8},{0,3,6},{1,4,7},{2,5,8},{0,4,8},{2,4,6}};
        for (auto &line : LINES)
            if (cells[line[0]] == who && cells[line[1]] == who && cells[line[2]] == who) return true;
        return false;
    }
    bool is_over() const { return turn == 9 || has_line(1) || has_line(2); }
    Turn to_move() const { return is_over() ? NOBODY : turn % 2 ? SECOND : FIRST; }
    bool is_legal(int, int action) const { return cells[action] == 0; }
    void step(int first, int second) {
        last = turn % 2 ? second : first;
        cells[last] = turn % 2 + 1;
        turn++;
    }
    int score(int seat) const { return has_line(seat + 1); }
    Result result() const {
        if (has_line(1)) return {0, "line", "by a line", "连成一线"};
        if (has_line(2)) return {1, "line", "by a line", "连成一线"};
        return {-1, "full", "on a full board", "棋盘已满"};
    }
    void view(int, Out &out) const {
        out << "{\"board\":[";
        for (int row = 0; row < 3; row++) {
            out << (row ? ",\"" : "\"");
            for (int col = 0; col < 3; col++) { int c = cells[3 * row + col]; out << (c == 1 ? "X" : c == 2 ? "O" : "."); }
            out << "\"";
        }
        out << "],\"facts\":[{\"seat\":\"first\",\"name\":\"moves\",\"value\":" << (turn + 1) / 2 << "}],\"marks\":[";
        if (last >= 0) out << '[' << last % 3 << ',' << last / 3 << ']';
        out << "]}";
    }
    void text(Out &out) const {
        for (int cell : cells) out << cell;
        out << ' ' << last << '\n';
    }
};
LEITAI_GAME(Three)
"""


@pytest.fixture(scope="module")
def make_game(leitai_command, tmp_path_factory):
    """Writes and compiles a game: its folder."""
    if shutil.which("clang++") is None or shutil.which("wasm-ld") is None:
        pytest.skip("clang and lld are missing; apt-get install clang lld")

    def make(id, rules, like="goofspiel"):
        folder = tmp_path_factory.mktemp("games") / id
        folder.mkdir()
        (folder / "rules.cpp").write_text(rules)
        manifest = (EXAMPLES / like / "game.toml").read_text()
        manifest = manifest.replace(f'id = "{like}"', f'id = "{id}"').replace(f'"{like}/1"', f'"{id}/1"')
        manifest = re.sub(r"\[\[bots\]\][^\[]*", "", manifest)
        (folder / "game.toml").write_text(manifest)
        (folder / "guide.md").write_text("# A game\n")
        leitai_command("game", "build", folder)
        return folder

    return make


GOOFSPIEL = (EXAMPLES / "goofspiel/rules.cpp").read_text()


@pytest.fixture(scope="module")
def goofspiel(make_game):
    return leitai.load(make_game("goofspiel", GOOFSPIEL))


@pytest.fixture(scope="module")
def three(make_game, leitai_command):
    folder = make_game("three", THREE, like="connect-four")
    leitai_command("game", "check", folder, "--legs", "1")
    return leitai.load(folder)


def only_known_advice(seen):
    advice = "Observation|Agent space|Action space"
    return [str(one.message) for one in seen if not re.match(advice, str(one.message))]


def test_a_game_file_is_the_kind_of_thing_that_a_game_of_leitai_is(three, goofspiel, leitai_command, tmp_path):
    assert (three.id, three.rules, three.legs, three.asks, three.is_open) == ("three", "three/1", 2, "one", True)
    assert (goofspiel.asks, goofspiel.is_open, goofspiel.bots()[0][0]) == ("both", False, "random")
    assert goofspiel.config({"cards": 5}) == {"cards": 5} and leitai.Game("goofspiel") == goofspiel != three
    leg = goofspiel.start(seed=7, config={"cards": 5}, record=True)
    assert leg.seats == (0, 1) and leg.legal(0) == ["1", "2", "3", "4", "5"] and not leg.is_over
    leg.step(4, leg.index("1", 1))
    assert leg.round == 2 and leg.replies == "5/1" and leg.scores[0] == leg.setup["prizes"][0]
    while not leg.is_over:
        leg.step(*(leg.legal_actions(seat)[0] for seat in leg.seats))
    assert leg.outcome["reason"] == "points" and leg.winner == leg.leader
    # The command line plays the same leg from the same seed.
    replay = leitai.Replay.of(leg)
    replay.save(tmp_path / "one.json")
    assert replay.data["rules"] == "goofspiel/1"
    path = goofspiel.word.rsplit("#", 1)[0]
    assert "agrees" in leitai_command("replay", "verify", tmp_path / "one.json", "--game", path)


def test_packed_files_ids_and_mistakes(three, leitai_command, tmp_path):
    folder = Path(three.word.rsplit("#", 1)[0])
    packed = tmp_path / "three.leitai-game"
    with ZipFile(packed, "w") as archive:
        for part in ("game.toml", "rules.wasm", "guide.md"):
            archive.write(folder / part, part)
    assert leitai.load(packed) == three == leitai.Game("three")
    with pytest.raises(FileNotFoundError, match="there is no game file or folder"):
        leitai.load(tmp_path / "nothing")
    with pytest.raises(ValueError, match='there is no game "chess"; there are snakego, .*three'):
        leitai.load("chess")
    with pytest.raises(ValueError, match=r"game.toml:\d+: .*\n  rules.wasm"):
        broken = tmp_path / "broken"
        broken.mkdir()
        (broken / "game.toml").write_text((folder / "game.toml").read_text().replace("legs = 2", "legs = 0"))
        (broken / "rules.wasm").write_bytes(b"no module")
        (broken / "guide.md").write_text("# A game\n")
        leitai.load(broken)
    led = tmp_path / "pig.leitai-game"
    with ZipFile(led, "w") as archive:
        for part in ("game.toml", "guide.md", "logic/main.py", "bots/careful.py", "bots/hold20.py"):
            archive.write(EXAMPLES / "pig" / part, part)
    for game in (EXAMPLES / "pig", led):
        with pytest.raises(ValueError, match="a judge program leads this game"):
            leitai.load(game)


def test_a_declared_board_becomes_planes_and_numbers_scalars(three):
    layout = read_layout(three)
    assert list(layout.planes) == ["own X/O", "other X/O", "other signs", "marked"]
    assert layout.planes_shape() == (4, 3, 3) and list(layout.scalars) == ["second", "fact.other.moves", "fact.own.moves"]
    assert layout.parts == (tuple("123456789") + ("another",),) and layout.symmetries == ()
    leg = three.start()
    leg.step(4)
    leg.step(0)
    for seat, own, other in ((0, 4, 0), (1, 0, 4)):
        seen = leg.observe(seat)
        assert [np.flatnonzero(plane).tolist() for plane in seen["observation"]] == [[own], [other], [], [0]]
        assert np.allclose(seen["scalars"], [seat, 0.2 * (seat == 1), 0.2 * (seat == 0)])
        assert np.array_equal(layout.unpack(leg.planes(seat, packed=True)), seen["observation"])
    assert leg.legal_actions() == [1, 2, 3, 5, 6, 7, 8] and leg.notation(8) == "9"
    with pytest.raises(ValueError, match="stands for no legal action here"):
        leg.step(9)
    with pytest.raises(ValueError, match="out of range"):
        leg.step(10)


def test_an_observation_tells_nothing_that_the_view_hides(goofspiel):
    setups = [{"prizes": [3, *rest]} for rest in ([1, 2, 4], [4, 2, 1])]
    legs = [goofspiel.load(setup, FOUR) for setup in setups]
    assert legs[0].view() != legs[1].view()
    for seat in (0, 1):
        seen = [leg.observe(seat) for leg in legs]
        assert all(np.array_equal(seen[0][part], seen[1][part]) for part in seen[0])
    known = [leg.known_to(0) for leg in legs]
    assert known[0].view(0) == known[1].view(0) and known[0].render() == known[1].render()
    for hidden in (
        lambda leg: leg.view(),
        lambda leg: leg.setup,
        lambda leg: leg.state_text(),
        lambda leg: leg.hash(),
        lambda leg: leg.observe(1),
        lambda leg: leg.step(0, 0),
        lambda leg: leg.playouts(1),
        lambda leg: leg.pixels(),
        lambda leg: leg.message("turn", 1),
        lambda leg: leg == known[1],
        pickle.dumps,
    ):
        with pytest.raises(ValueError, match="what seat 0 knows"):
            hidden(known[0])
    assert "second" in known[0].clone().view(0)
    with pytest.raises(ValueError, match="what seat 0 knows"):
        known[0].clone().known_to(1)
    assert not any("deck" in name for name in read_layout(goofspiel).scalars)


def test_pettingzoo_takes_both(three, goofspiel):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        api_test(guest.env(three), num_cycles=60)
        seed_test(lambda: guest.env(three), num_cycles=30)
        parallel_api_test(guest.parallel_env(goofspiel, config=FOUR), num_cycles=30)
        parallel_seed_test(lambda: guest.parallel_env(goofspiel, config=FOUR), num_cycles=20)
        api_test(guest.env(goofspiel, config=FOUR, reward="score"), num_cycles=30)
    assert only_known_advice(seen) == []
    with pytest.raises(ValueError, match="three asks one seat at a time"):
        guest.parallel_env(three)


def test_the_registries_know_a_game_that_was_loaded(three, goofspiel):
    import pettingzoo

    env = gymnasium.make("leitai/three-v0", opponent="random")
    observation, info = env.reset(seed=3)
    assert observation in env.observation_space and info["seat"] == 0
    assert pettingzoo.make("aec", "leitai/three-v0").metadata["name"] == "three_v0"
    made = pettingzoo.make("parallel", "leitai/goofspiel-v0", config=FOUR)
    assert set(made.reset(seed=1)[0]) == {"player_0", "player_1"}


def test_gymnasium_alone_and_many_at_once_see_the_same(three):
    envs = leitai.gym.VectorEnv(three, 4, seat="alternate", threads=2)
    ones = [leitai.gym.Env(three, seat="alternate") for _ in range(4)]
    many, _ = envs.reset(seed=5)
    alone = [one.reset(seed=5 + number)[0] for number, one in enumerate(ones)]
    random = np.random.default_rng(1)
    for _ in range(12):
        for part in many:
            assert all(np.array_equal(many[part][number], seen[part]) for number, seen in enumerate(alone))
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in many["action_mask"]])
        other = pickle.loads(pickle.dumps(envs)) if random.random() < 0.2 else envs
        many, rewards, ended, _, _ = other.step(actions)
        envs = other
        for number, one in enumerate(ones):
            alone[number], reward, over, _, _ = one.step(actions[number]) if not one._ended else (one.reset()[0], 0, False, 0, 0)
            assert reward == rewards[number] and over == ended[number]


def test_self_play_of_a_simultaneous_game(goofspiel):
    play = leitai.SelfPlay(goofspiel, 8, config=FOUR, seed=2)
    seen = play.reset()
    assert seen["observation"].shape == (8, 2, 1, 1, 1) and seen["action_mask"].shape == (8, 2, 5)
    total = np.zeros(2)
    for _ in range(4):
        seen, rewards, ended = play.step(seen["action_mask"].argmax(-1))
        total += rewards.sum(0)
    assert ended.all() and total.sum() == 0
    copied = copy.deepcopy(play)
    assert copied.hashes() == play.hashes()
    play.restore(play.save())


def test_copies_and_pickles_are_the_same_leg(goofspiel):
    leg = goofspiel.start(3, FOUR, record=True)
    leg.step(0, 3)
    for same in (copy.deepcopy(leg), pickle.loads(pickle.dumps(leg)), leg.clone()):
        assert same == leg and same.hash() == leg.hash() and same.replies == leg.replies
    free = goofspiel.start(3, FOUR)
    free.play_random(1, 2)
    assert pickle.loads(pickle.dumps(free)) == free
    bot = goofspiel.bot("random", 4)
    bot.choose(leg, 0)
    pickled = pickle.loads(pickle.dumps(bot))
    assert [bot.choose(leg, 0) for _ in range(5)] == [pickled.choose(leg, 0) for _ in range(5)]
    # In another process, which has loaded nothing.
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer).hash())"
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(leg), capture_output=True, check=False)
    assert done.stdout.split() == [str(leg.hash()).encode()], done.stderr.decode()


def test_recorded_matches_are_verified_and_become_arrays(goofspiel, tmp_path):
    golden = sorted((EXAMPLES / "goofspiel/golden").glob("*.json"))
    seen = leitai.Replay.load(golden[0]).verify()
    assert seen["legs"] == 2 and seen["complete"]
    changed = leitai.Replay.load(golden[0])
    with pytest.raises(ValueError, match="leg 1, .*"):
        changed.data["legs"][0]["replies"] = "3" + changed.data["legs"][0]["replies"][1:]
        leitai.Replay(json.dumps(changed.data)).verify()
    # Of four cards, so that this is cheap.
    legs = [goofspiel.start(1, FOUR, record=True) for _ in range(2)]
    for leg in legs:
        while not leg.is_over:
            leg.step(*(leg.legal_actions(seat)[seat] if leg.round < 4 else leg.legal_actions(seat)[0] for seat in leg.seats))
    leitai.Replay.of(legs).save(tmp_path / "four.json")
    dataset = leitai.dataset(tmp_path, game="goofspiel", strict=True)
    arrays = list(dataset)
    assert dataset.skipped == [] and len(arrays) == 2
    for leg in arrays:
        rows = np.arange(len(leg["action"]))
        assert len(rows) == 8 and (leg["action_mask"][rows, leg["action"]] == 1).all() and leg["complete"]


def test_a_tournament_and_a_comparison(goofspiel, three):
    def highest(observation, leg):
        return np.flatnonzero(observation["action_mask"])[-1]

    class Views:
        def choose(self, leg, seat):
            assert "deck" not in leg.view(seat)
            return leg.legal_actions(seat)[0]

    players = {"highest": highest, "views": Views(), "random": "random"}
    result = leitai.tournament(goofspiel, players, rounds=1, seed=1, config=FOUR)
    assert {row.name for row in result.standings} == set(players) and result.game == "goofspiel"
    assert sum(leitai.compare(three, "random", "random", max_pairs=2, jobs=1)["pairs"]) == 2
    with pytest.raises(ValueError, match="no rating scale"):
        leitai.evaluate(highest, goofspiel)


def test_a_policy_is_rated_on_a_scale_that_was_measured(make_game, leitai_command, tmp_path):
    folder = make_game("three-rated", THREE, like="connect-four")
    with pytest.raises(ValueError, match="`leitai game scale FOLDER` measures one"):
        leitai.evaluate("random", leitai.load(folder))
    leitai_command("game", "scale", folder, "--highest", "level3", "--pairs", "1", "--folder", tmp_path / "games")
    rated = leitai.evaluate(lambda observation, leg: np.flatnonzero(observation["action_mask"])[0], leitai.load(folder), max_pairs=1, explain=0)
    assert (rated.scale, rated.pairs) == ("three-rated-1", 1)


def test_rules_that_fail_are_an_exception_with_what_repeats_them(make_game):
    rules = GOOFSPIEL.replace("bids[1][turn] =", 'if (turn == 2) fail("no third bid");\n        bids[1][turn] =')
    game = leitai.load(make_game("goof-trap", rules))

    def play(leg):
        while not leg.is_over:
            leg.step(*(leg.legal_actions(seat)[0] for seat in leg.seats))

    with pytest.raises(leitai.GameFault, match=r"leitai_game_1_step .*no third bid.* \(goof-trap, seed 3, step 3\)") as met:
        play(game.start(seed=3, config=FOUR))
    fault = pickle.loads(pickle.dumps(met.value))
    assert (fault.game, fault.function, fault.seed, fault.replies) == ("goof-trap", "leitai_game_1_step", 3, "1/1 2/2")
    assert b"3" in fault.request
    again = game.load(fault.setup, FOUR)
    for token in fault.replies.split():
        again.play(token)
    with pytest.raises(leitai.GameFault, match="no third bid"):
        again.play("3/3")
    with pytest.raises(leitai.GameFault, match="no third bid"):
        print(again.round)
    for fails in (
        lambda: game.start(1, FOUR).play_random(),
        lambda: game.start(1, FOUR).playouts(2),
        lambda: leitai.tournament(game, {"one": "random", "other": "random"}, config=FOUR),
        lambda: play_all(leitai.SelfPlay(game, 3, config=FOUR)),
        lambda: play_all(leitai.gym.VectorEnv(game, 3, config=FOUR)),
    ):
        with pytest.raises(leitai.GameFault, match="no third bid"):
            fails()


def play_all(envs):
    seen = envs.reset()
    for _ in range(4):
        seen = (seen[0] if isinstance(seen, tuple) else seen)["action_mask"]
        seen = envs.step(seen.argmax(-1))


@pytest.mark.skipif(not (EXAMPLES / "connect-four/rules.wasm").exists(), reason="./dev modules compiles it and runs this")
def test_connect_four_in_rust():
    game = leitai.load(EXAMPLES / "connect-four")
    layout = read_layout(game)
    assert layout.planes_shape()[1:] == (6, 7) and layout.parts == (tuple("1234567") + ("another",),)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        api_test(guest.env(game), num_cycles=100)
        seed_test(lambda: guest.env(game), num_cycles=50)
    assert only_known_advice(seen) == []
    for golden in (EXAMPLES / "connect-four/golden").glob("*.json"):
        assert leitai.Replay.load(golden).verify()["complete"]
