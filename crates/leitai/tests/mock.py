# A bot for tests that speaks the official SnakeGo protocol and misbehaves as MODE says (a line `MODE = "…"` is put
# before this text). It walks in a ring of 12 cells near its corner, which is safe for 8 growing rounds and after.
import os, signal, subprocess, sys, threading, time

inp, out, log = sys.stdin.buffer, sys.stdout.buffer, sys.stderr


def read(count):
    data = inp.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def answer(op):
    out.write(b"\0\0\0\1" + bytes([op]))
    out.flush()


def hang():
    while inp.read(1):
        pass
    signal.pause()


def spin(seconds=None):
    begun = time.process_time()
    while seconds is None or time.process_time() - begun < seconds:
        pass


def misbehave(turn, op):
    if MODE == "spin-turn" and turn == 3:
        spin()
    if MODE == "spin-child" and turn == 3:
        subprocess.run([sys.executable, "-c", "while True: pass"])
    if MODE == "think":
        spin(0.1)
    if MODE == "slow":
        time.sleep(0.1)
    if MODE == "ponder" and turn == 1:
        threading.Thread(target=spin, daemon=True).start()
    if MODE == "crash" and turn == 3:
        print("index out of range: 17", file=log, flush=True)
        sys.exit(3)
    if MODE == "segfault" and turn == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "exit" and turn == 3:
        sys.exit(0)
    if MODE == "stall" and turn == 3:
        hang()
    if MODE == "close-stdout" and turn == 3:
        os.close(1)
        hang()
    if MODE in ("op-0", "op-7") and turn == 3:
        return answer(int(MODE[-1]))
    if MODE == "half-frame" and turn == 3:
        out.write(b"\0\0\0")
        out.flush()
        hang()
    if MODE == "huge-length" and turn == 3:
        out.write(b"\xff\xff\xff\xff")
        out.flush()
        hang()
    if MODE == "text" and turn == 3:
        out.write(b"thinking about it\n")
    if MODE == "illegal" and turn == 3:
        return answer(5)
    if MODE == "log-10M":
        log.write("x" * 1_000_000 + "\n")
        log.flush()
    if MODE == "flood" and turn == 3:
        for _ in range(100_000):
            out.write(b"\0\0\0\1" + bytes([op]))
        out.flush()
        hang()
    answer(op)


if MODE == "exit-at-once":
    sys.exit(0)
if MODE == "slow-start":
    time.sleep(2)
if MODE == "interrupt":
    with open(os.environ["HOME"] + "/../started", "w") as fifo:
        fifo.write(str(os.getpid()))
    hang()

read(4)
me = read(1)[0]
read(1)
read(7 * int.from_bytes(read(2), "big"))
ring = [3, 3, 3, 2, 2, 2, 1, 1, 1, 4, 4, 4] if me else [1, 1, 1, 4, 4, 4, 3, 3, 3, 2, 2, 2]
turn, player = 0, 0
while True:
    if player == me:
        turn += 1
        print("turn", turn, file=log, flush=True)
        misbehave(turn, ring[(turn - 1) % 12])
    before = time.process_time()
    op = read(1)[0]
    if MODE == "ponder" and player != me:
        print("pondered", round(1000 * (time.process_time() - before)), file=log, flush=True)
    if op == 0x11:
        read(6)
        if MODE == "spin":
            while True:
                pass
        sys.exit(0)
    player = 1 - player
