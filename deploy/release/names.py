"""How a program finds an arena by name: every kind of answer that a network gives, in a network of its own.

    sudo unshare --net --mount python3 names.py PROGRAM [PROGRAM …]

PROGRAM is a `leitai`; its command `admin health` asks for an arena's health at a name. Names are answered by a server of
this script at 127.0.0.1 (and by others that are silent or fail at 127.0.0.2 and up), and by a hosts file that it writes.
Each line is a way of answering with what was reached, and after how many seconds. It ends with 1 if a program does not find
what EVERY program is to find; what only glibc finds is told alone.
"""

import contextlib
import fcntl
import http.server
import os
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time

PORT = 18080
A, CNAME, AAAA = 1, 5, 28
GOOD, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
HERE = {A: bytes([127, 0, 0, 1])}

# What the server at 127.0.0.1 answers: of a name, by kind. "tcp" is told over TCP alone, UDP says "truncated".
ZONE = {
    "arena.test": HERE,
    "six.test": {AAAA: socket.inet_pton(socket.AF_INET6, "::1")},
    "both.test": {**HERE, AAAA: socket.inet_pton(socket.AF_INET6, "::1")},
    "long.test": {"tcp": True, **HERE},
    "other.test": {CNAME: "arena.test"},
    "host.in.corp.test": HERE,
    "arena.corp.test": HERE,
}
# What servers at other addresses answer to everything.
OTHERS = {"127.0.0.2": None, "127.0.0.3": SERVFAIL, "127.0.0.4": REFUSED, "127.0.0.5": NXDOMAIN}

LOCAL = "127.0.0.1 localhost\n::1 localhost\n"
FIRST = "nameserver 127.0.0.1\n"
# What is asked for: words, a name, resolv.conf, the hosts file, and whether EVERY program is to find it, none is to ("no"),
# or it depends on the program ("some").
CASES = [
    ("the hosts file", "house", FIRST, LOCAL + "127.0.0.1 house\n", "every"),
    ("the hosts file, IPv6", "house", FIRST, LOCAL + "::1 house\n", "every"),
    ("the hosts file before the name server", "arena.test", "nameserver 127.0.0.3\n", LOCAL + "127.0.0.1 arena.test\n", "every"),
    ("localhost, no name server", "localhost", "", LOCAL, "every"),
    ("a name server", "arena.test", FIRST, LOCAL, "every"),
    ("a name with IPv6 alone", "six.test", FIRST, LOCAL, "every"),
    ("a name with both", "both.test", FIRST, LOCAL, "every"),
    ("another name (CNAME)", "other.test", FIRST, LOCAL, "every"),
    ("an answer too long for UDP", "long.test", FIRST, LOCAL, "every"),
    ("capital letters", "ARENA.Test", FIRST, LOCAL, "every"),
    ("a search domain", "arena", FIRST + "search corp.test\n", LOCAL, "every"),
    ("the second search domain", "arena", FIRST + "search else.test corp.test\n", LOCAL, "every"),
    ("a search domain and a name with a dot", "host.in", FIRST + "search corp.test\n", LOCAL, "some"),
    ("the same with ndots:2", "host.in", FIRST + "search corp.test\noptions ndots:2\n", LOCAL, "every"),
    ("the first server is silent", "arena.test", "nameserver 127.0.0.2\n" + FIRST, LOCAL, "every"),
    ("the first server fails (SERVFAIL)", "arena.test", "nameserver 127.0.0.3\n" + FIRST, LOCAL, "every"),
    ("the first server refuses", "arena.test", "nameserver 127.0.0.4\n" + FIRST, LOCAL, "every"),
    ("the first server says there is none", "arena.test", "nameserver 127.0.0.5\n" + FIRST, LOCAL, "some"),
    ("no server answers", "arena.test", "nameserver 127.0.0.2\noptions timeout:1 attempts:1\n", LOCAL, "no"),
    ("no such name", "nobody.test", FIRST, LOCAL, "no"),
    ("no hosts file", "localhost", FIRST, None, "some"),
]


def read_question(message: bytes) -> tuple[str, int, int]:
    """The name, the kind, and where the question ends."""
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels).lower(), struct.unpack_from(">H", message, at + 1)[0], at + 5


def write_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def answer(message: bytes, code: int | None, over_tcp: bool) -> bytes:
    name, kind, end = read_question(message)
    known, records, flags = ZONE.get(name), [], 0x8180
    if code is None:
        code = GOOD if known else NXDOMAIN
        if known and known.get("tcp") and not over_tcp:
            flags |= 0x0200
        elif known:
            if CNAME in known:
                records.append((name, CNAME, write_name(known[CNAME])))
                name, known = known[CNAME], ZONE[known[CNAME]]
            if kind in known:
                records.append((name, kind, known[kind]))
    body = b"".join(write_name(of) + struct.pack(">HHIH", what, 1, 0, len(data)) + data for of, what, data in records)
    return message[:2] + struct.pack(">HHHHH", flags | code, 1, len(records), 0, 0) + message[12:end] + body


def serve_names(address: str, code: int | None) -> None:
    class Udp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            message, line = self.request
            line.sendto(answer(message, code, over_tcp=False), self.client_address)

    class Tcp(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            # More than one question may come over a connection.
            while length := self.rfile.read(2):
                said = answer(self.rfile.read(*struct.unpack(">H", length)), code, over_tcp=True)
                self.wfile.write(struct.pack(">H", len(said)) + said)

    for server in (socketserver.ThreadingUDPServer((address, 53), Udp), socketserver.ThreadingTCPServer((address, 53), Tcp)):
        threading.Thread(target=server.serve_forever, daemon=True).start()


def serve_health() -> None:
    class Health(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    class Six(http.server.ThreadingHTTPServer):
        address_family = socket.AF_INET6

    for server in (http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Health), Six(("::1", PORT, 0, 0), Health)):
        threading.Thread(target=server.serve_forever, daemon=True).start()


def set_up() -> None:
    """The loopback device, and files of /etc that only this script's mount namespace has."""
    fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 1))
    for address, code in OTHERS.items():
        if code is None:
            # Somebody listens, and says nothing.
            silent.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            silent[-1].bind((address, 53))
        else:
            serve_names(address, code)
    serve_names("127.0.0.1", None)
    serve_health()


silent: list[socket.socket] = []


@contextlib.contextmanager
def files_of(folder: str, resolv: str, hosts: str | None):
    """Bound over /etc's files for one case; without a hosts file, an empty one."""
    texts = {"/etc/resolv.conf": resolv, "/etc/hosts": hosts or "", "/etc/nsswitch.conf": "hosts: files dns\n"}
    for place, text in texts.items():
        mine = os.path.join(folder, os.path.basename(place))
        with open(mine, "w") as file:
            file.write(text)
        place = os.path.realpath(place)
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            open(place, "w").close()
        subprocess.run(["mount", "--bind", mine, place], check=True)
    yield
    for place in texts:
        subprocess.run(["umount", os.path.realpath(place)], check=True)


def ask(program: str, name: str) -> tuple[bool, float, str]:
    start = time.monotonic()
    words = [program, "admin", "health", f"http://{name}:{PORT}"]
    run = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, "LANG": "C.UTF-8"})
    return run.returncode == 0, time.monotonic() - start, (run.stderr.strip().splitlines() or [""])[0]


def main(programs: list[str]) -> int:
    faults = 0
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    set_up()
    with tempfile.TemporaryDirectory() as folder:
        for words, name, resolv, hosts, who in CASES:
            with files_of(folder, resolv, hosts):
                for program in programs:
                    is_found, seconds, said = ask(program, name)
                    is_wrong = who == ("no" if is_found else "every")
                    faults += is_wrong
                    sign = "WRONG: " if is_wrong else ""
                    print(f"{sign}{words}: {'found' if is_found else 'not found'} in {seconds:.2f} s" + ("" if is_found else f" ({said})")
                          + (f" [{program}]" if len(programs) > 1 else ""), flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1:]))
