"""Pig, as a logic process in the protocol of Saiblo: it leads the game, and draws while it plays."""
import json
import random
import sys

MOST_TURNS = 400


def send(target, text):
    body = text.encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + target.to_bytes(4, "big", signed=True) + body)
    sys.stdout.buffer.flush()


def order(**what):
    send(-1, json.dumps(what))


def listen():
    length = int.from_bytes(sys.stdin.buffer.read(4), "big")
    return json.loads(sys.stdin.buffer.read(length))


def tell(player, points, turn_points, event):
    """One line of JSON for each player: what happened, and how it stands from his side."""
    for seat in (0, 1):
        line = {"event": event, "player": player, "you": seat, "points": points, "turn": turn_points}
        send(seat, json.dumps(line) + "\n")


def finish(points, states):
    order(state=-1, end_info=json.dumps({"0": points[0], "1": points[1]}), end_state=json.dumps(states))


def main():
    config = listen()["config"]
    dice, goal = random.Random(config["random_seed"]), config.get("goal", 50)
    points, player, turn_points = [0, 0], 0, 0
    tell(player, points, turn_points, "start")
    order(state=0, time=1, length=16)
    for turn in range(1, MOST_TURNS + 1):
        order(state=turn, listen=[player], player=[], content=[])
        answer = listen()
        word = answer["content"].strip() if answer["player"] == player else None
        if word not in ("roll", "hold"):
            # A fault of the player, or no word of the game: the other one wins.
            points[player], points[1 - player] = 0, goal
            states = ["OK", "OK"]
            if answer["player"] == player:
                states[player] = "IA"
            return finish(points, states)
        if word == "roll":
            pips = dice.randint(1, 6)
            turn_points = 0 if pips == 1 else turn_points + pips
            over = pips == 1
        else:
            points[player] += turn_points
            turn_points, pips, over = 0, 0, True
        if points[player] >= goal:
            return finish(points, ["OK", "OK"])
        mover, player = player, 1 - player if over else player
        tell(player, points, turn_points, f"{mover} rolled {pips}" if pips else f"{mover} held")
    finish(points, ["OK", "OK"])


if __name__ == "__main__":
    main()
