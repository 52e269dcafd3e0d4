"""Holds a running arena against its own OpenAPI document: `./dev openapi` (docs/http-api.md).

Starts `leitai serve` in a folder of its own, opens an administrator's and an author's account,
and lets Schemathesis send what the document allows and what it does not allow, as a guest, as
the author and as the administrator. Further arguments go to `schemathesis run`.
"""

import http.cookiejar
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEITAI = Path(os.environ.get("LEITAI", "target/debug/leitai")).resolve()
PASSWORD = "correct horse battery"
BOT = "print(0)\n"
# Seconds until the server has said where it listens.
PATIENCE = 120


class Visitor:
    """Somebody with a browser's session."""

    def __init__(self, arena: str):
        self.arena = arena
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.csrf = ""

    def post(self, path: str, body: dict) -> dict:
        headers = {"content-type": "application/json", "x-leitai-csrf": self.csrf}
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.arena + path, data, headers)
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def token(self, name: str, **more: str) -> str:
        """Opens an account and makes an API token of it."""
        account = self.post("/api/register", {"name": name, "password": PASSWORD, **more})
        self.csrf = account["csrf"]
        return self.post("/api/me/tokens", {"name": "openapi"})["token"]


def serve(folder: str) -> tuple[subprocess.Popen, str, str]:
    """A server on a free port: the process, its address, and the secret of its first account."""
    command = [LEITAI, "serve", "--listen", "127.0.0.1:0", "--data", folder]
    # Every request comes from an address of its own (see hooks.py): limits by address would
    # answer most of them with 429.
    command += ["--trust-proxy", "--ladder-every", "1s"]
    log = open(Path(folder, "server.log"), "w")
    environment = {**os.environ, "LEITAI_LANG": "en"}
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
    )
    address = secret = None
    for line in server.stdout:
        address = address or re.search(r"http://[^\s/]+", line)
        secret = secret or re.search(r"#secret=(\S+)", line)
        if address and secret:
            return server, address[0], secret[1]
    sys.exit(f"leitai serve ended at once; it said: {Path(folder, 'server.log').read_text()}")


def wait_for_match(arena: str) -> None:
    """Waits for a match with a replay, so that there is something to read."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{arena}/api/matches?state=finished&limit=1") as answer:
            if json.load(answer)["items"]:
                return
        time.sleep(0.2)
    sys.exit(f"no match was finished within {PATIENCE} s")


def check(arena: str, who: str, token: str | None, folder: str, more: list[str]) -> bool:
    """Runs Schemathesis as this caller; tells whether it found nothing."""
    print(f"== as {who}", flush=True)
    command = [Path(sys.executable).with_name("schemathesis")]
    command += ["--config-file", HERE / "schemathesis.toml", "run", f"{arena}/api/openapi.json"]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
    # In the server's folder: Schemathesis keeps notes beside it.
    return subprocess.run([*command, *more], env=environment, cwd=folder).returncode == 0


def main() -> None:
    if not LEITAI.exists():
        sys.exit(f"there is no {LEITAI}; build it, or name it in LEITAI")
    with tempfile.TemporaryDirectory(prefix="leitai-openapi-") as folder:
        server, arena, secret = serve(folder)
        try:
            admin = Visitor(arena).token("root", secret=secret)
            author = Visitor(arena)
            token = author.token("author")
            bot = author.post("/api/bots", {"game": "kob", "name": "viper"})
            version = {"file_name": "bot.py", "code": BOT, "notes": "first"}
            author.post(f"/api/bots/{bot['id']}/versions", version)
            wait_for_match(arena)
            callers = {"a guest": None, "an author": token, "an administrator": admin}
            only = os.environ.get("LEITAI_OPENAPI_AS")
            if only:
                callers = {who: token for who, token in callers.items() if only in who}
            more = [folder, sys.argv[1:]]
            failed = [who for who in callers if not check(arena, who, callers[who], *more)]
            if server.poll() is not None:
                failed.append(f"the server ended with {server.returncode}")
        finally:
            server.terminate()
            server.wait(PATIENCE)
    if failed:
        sys.exit(f"the arena and docs/openapi.json differ: {', '.join(failed)}")


main()
