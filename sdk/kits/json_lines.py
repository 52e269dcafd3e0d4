

def answer_all(decide):
    """Answers every question of the judge with what `decide(view, legal, setup)` gives."""
    setup = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            setup = message["setup"]  # everything that is known before the game
        elif message["type"] == "turn":
            print(json.dumps({"action": decide(message["view"], message["legal"], setup)}), flush=True)


# Below: drawings and values for the viewer. The file sdk/viewer/leitai_viewer.py of Leitai is the same by itself.
