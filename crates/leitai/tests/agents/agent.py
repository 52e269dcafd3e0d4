"""A coding agent, by script and with the official client of the Model Context Protocol: it reads the rules, writes a
bot, checks it, submits it, loses, learns why, mends it and wins.

agent.py stdio|http ARENA TOKEN LEITAI GAME: prints one line a step.
"""

import asyncio
import json
import os
import pathlib
import sys
import time

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

DOOR, ARENA, TOKEN, LEITAI, GAME = sys.argv[1:6]

# The first bot of somebody who read only what an answer looks like: it gives the same answer whatever happens.
STUBBORN = """# leitai: protocol=json-lines
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""
STRONG = {"kob": "space", "snakego": "territory", "tankcraft": "miner"}


def step(what, **seen):
    print(what, json.dumps(seen, ensure_ascii=False), flush=True)


class Tools:
    def __init__(self, client):
        self.client = client

    async def __call__(self, tool, /, refused=False, **arguments):
        answer = await self.client.call_tool(tool, arguments)
        said = answer.structured_content
        shown = {name: "…" if name == "code" else value for name, value in arguments.items()}
        print(">", tool, json.dumps(shown, ensure_ascii=False))
        print("<", json.dumps(said, ensure_ascii=False), flush=True)
        assert bool(answer.is_error) == refused, (tool, arguments, said)
        lines = json.dumps(said, indent=1).count("\n")
        assert lines < 120 and len(json.dumps(said)) < 12_000, (tool, said)
        return said

    async def until_over(self, tool, said, **which):
        for _ in range(20):
            if said["state"] not in ("queued", "running", "building", "checking"):
                return said
            said = await self(tool, **which, wait=20)
        raise AssertionError(said)

    async def submit(self, code, notes):
        path = pathlib.Path("mybot.py")
        path.write_text(code)
        if DOOR == "stdio":
            said = await self("submit", game=GAME, program=str(path), name="agent", notes=notes)
        else:
            said = await self("submit", game=GAME, name="agent", file_name="bot.py", code=code, notes=notes)
        return await self.until_over("version_status", said, version=said["version"])

    async def challenge(self, opponent, seed):
        said = await self("challenge", game=GAME, bot="agent", opponent=opponent, seed=seed)
        return await self.until_over("match_report", said, match=said["match"])


async def read(client, tools):
    listed = (await client.list_resources()).resources
    uris = {str(resource.uri) for resource in listed}
    assert {f"leitai://rules/{GAME}.md", "leitai://games.md", "leitai://protocols.md"} <= uris, uris
    rules = (await client.read_resource(f"leitai://rules/{GAME}.md")).contents[0].text
    again = await client.call_tool("read_document", {"path": f"rules/{GAME}.md"})
    assert again.content[0].text == rules
    template = (await client.read_resource(f"leitai://templates/{GAME}/main.py")).contents[0].text
    step("read", rules=rules.splitlines()[0], template="import" in template)
    return template


async def try_locally(tools):
    """Before it uploads: checks, plays, and learns why it lost, on this machine."""
    pathlib.Path("mybot.py").write_text(STUBBORN)
    checked = await tools("check", game=GAME, program="./mybot.py")
    played = await tools("play", game=GAME, a="./mybot.py", b=STRONG[GAME], seed=3, legs=1, replay="lost.json")
    why = await tools("analyse", replay="lost.json")
    assert 1 < len(why["lines"]) <= 30, why
    step("tried", accepted=checked["accepted"], winner=played["winner"], why=why["lines"][1])
    for tool, arguments, part in [
        ("check", {"game": GAME, "program": "./nobody.py"}, "nobody.py"),
        ("check", {"game": "chess", "program": "./mybot.py"}, "there is no game"),
        ("check", {"game": GAME, "program": "--isolation=none"}, "neither a built-in bot nor a path"),
        ("play", {"game": GAME, "a": "./mybot.py", "b": "random", "legs": 65}, "from 1 to 64"),
        ("analyse", {"replay": "mybot.py"}, "mybot.py"),
        ("rate", {"game": GAME}, "rate needs bot"),
    ]:
        said = await tools(tool, refused=True, **arguments)
        assert part in said["error"], (tool, said)


async def try_whole(tools):
    """What takes longer: a template of its own, a comparison, a rating."""
    written = await tools("new_bot", game=GAME, language="python", folder="fresh")
    assert pathlib.Path("fresh/main.py").exists(), written
    compared = await tools("compare", game=GAME, new="fresh", base="./mybot.py", pairs=4, seed=1)
    rated = await tools("rate", game=GAME, bot="fresh", pairs=2, seed=1)
    step("measured", games=compared["games_played"], scale=rated["scale"], interval=len(rated["rating_interval"]))


async def loop(client):
    tools = Tools(client)
    template = await read(client, tools)
    if DOOR == "stdio":
        await try_locally(tools)
        if os.environ.get("LEITAI_LONG"):
            await try_whole(tools)
    version = await tools.submit("syntax error here\n", "by mistake")
    assert version["state"] == "failed" and version["why"], version
    step("refused", why=version["why"])
    version = await tools.submit(STUBBORN, "always the first legal action")
    assert version["state"] == "ready", version
    lost = await tools.challenge(STRONG[GAME], 3)
    assert lost["outcome"] == "you lost" and 1 < len(lost["why"]) <= 30, lost
    step("lost", reason=lost["reason"], why=lost["why"][:5])
    version = await tools.submit(template, "looks before it moves")
    assert version["state"] == "ready" and version["number"] > 1, version
    won = await tools.challenge("random", 3)
    assert won["outcome"] == "you won", won
    mine = await tools("my_bots")
    listed = await tools("matches", bot="agent", limit=5)
    ladder = await tools("ladder", game=GAME, limit=3)
    assert [bot["name"] for bot in mine["bots"]] == ["agent"] and len(listed["matches"]) >= 2, (mine, listed)
    step("won", reason=won["reason"], matches=len(listed["matches"]), ladder=len(ladder["rows"]))


async def main():
    if DOOR == "stdio":
        home = {"LEITAI_SERVER": ARENA, "LEITAI_TOKEN": TOKEN, "LEITAI_ISOLATION": os.environ["LEITAI_ISOLATION"]}
        server = StdioServerParameters(command=LEITAI, args=["mcp"], env=home)
    else:
        bearer = httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=120)
        server = streamable_http_client(f"{ARENA}/mcp", http_client=bearer)
    for mode in ["legacy", "auto"]:
        async with Client(server, mode=mode) as client:
            step("came in", mode=mode, tools=len((await client.list_tools()).tools))
            if mode == "auto":
                await loop(client)
        if DOOR == "http":
            bearer = httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=120)
            server = streamable_http_client(f"{ARENA}/mcp", http_client=bearer)


begun = time.monotonic()
asyncio.run(main())
step("done", seconds=round(time.monotonic() - begun, 1))
