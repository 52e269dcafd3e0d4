# A bot for tests that plays any of the three games in its first dialect, soundly, and misbehaves as its flags say: on the
# command line, or in a line `FLAGS = "…"` put before this text. `misbehave.py --help` lists them.
import argparse, os, shlex, signal, subprocess, sys, threading, time

inp, out, log = sys.stdin.buffer, sys.stdout.buffer, sys.stderr
MARK = os.path.basename(sys.argv[0]).rsplit(".", 1)[0]


def seconds(text):
    return float(text[:-2]) / 1000 if text.endswith("ms") else float(text.rstrip("s"))


def size(text):
    return int(text.rstrip("kM")) * {"k": 1000, "M": 1000000}.get(text[-1], 1)


flags = argparse.ArgumentParser()
flags.add_argument("game", choices=["snakego", "kob", "tankcraft"])
flags.add_argument("--at", type=int, default=3, help="the turn in which it does what follows without a turn of its own")
for name in ["crash-at", "signal-at", "exit-at", "stall-at", "spin-at", "spin-child-at", "disown-at"]:
    flags.add_argument("--" + name, type=int, metavar="N", default=0)
flags.add_argument("--slow", type=seconds, metavar="TIME", default=0, help="sleeps before every answer")
flags.add_argument("--spin", type=seconds, metavar="TIME", default=0, help="computes before every answer")
flags.add_argument("--slow-start", type=seconds, metavar="TIME", default=0, help="sleeps before it reads anything")
flags.add_argument("--threads", type=int, metavar="N", default=0, help="starts so many at once, before its first turn")
flags.add_argument("--fork", type=int, metavar="N", default=0, help="leaves so many children behind, in sessions of their own")
flags.add_argument("--log", type=size, metavar="SIZE", default=0, help="writes so much to stderr")
flags.add_argument("--eat-memory", type=size, metavar="SIZE", default=0)
flags.add_argument("--fill-disk", type=size, metavar="SIZE", default=0)
for name in [
    "flood", "flood-newline", "garbage", "half-frame", "huge-length", "wrong-op", "illegal", "text-before", "answer-twice",
    "stop-child", "trickle", "close-stdout", "close-stdin", "ignore-term", "stay", "fork-bomb", "ponder", "ponder-early", "tell-time",
]:
    flags.add_argument("--" + name, action="store_true")
flags = flags.parse_args(shlex.split(FLAGS) if "FLAGS" in globals() else sys.argv[1:])


def leave(code):
    out.flush()
    os._exit(code)


def read(count):
    data = inp.read(count)
    if len(data) < count:
        done()
    return data


def line():
    text = inp.readline()
    if not text:
        done()
    return text.decode().rstrip("\n")


def done():
    while flags.stay:
        pass
    while flags.ignore_term:
        time.sleep(60)
    sys.exit(0)


def hang():
    while inp.read(1):
        pass
    while True:
        time.sleep(60)


def send(data):
    if flags.trickle:
        for byte in data:
            out.write(bytes([byte]))
            out.flush()
            time.sleep(0.004)
    else:
        out.write(data)
        out.flush()


# The games. Each calls `turn(answer)` when it is asked, where the answer is framed already.


def snakego():
    # One snake a side: whoever plays against it must not split.
    read(4)
    me = read(1)[0]
    read(1)
    read(7 * int.from_bytes(read(2), "big"))
    # A ring of 12 cells near its corner, which is safe for 8 growing rounds and after.
    ring = [3, 3, 3, 2, 2, 2, 1, 1, 1, 4, 4, 4] if me else [1, 1, 1, 4, 4, 4, 3, 3, 3, 2, 2, 2]
    turns, player = 0, 0
    while True:
        if player == me:
            turns += 1
            turn(turns, b"\0\0\0\1" + bytes([ring[(turns - 1) % 12]]))
        if read(1)[0] == 0x11:
            read(6)
            done()
        player = 1 - player


def kob():
    turns = 0
    while True:
        turns += 1
        # A comes from below and goes up, B comes from above and goes down.
        me = line().split("#")[1:3]
        turn(turns, b"0\n" if me == ["11", "1"] else b"2\n")


def tankcraft():
    turns = 0
    while True:
        words = line().split()
        if words[0] in ("CHOOSE", "GO"):
            turns += 1
            turn(turns, b"TEAM Striker Striker Pioneer Pioneer Sniper\n" if turns == 1 else b"STOP\n" * 5)
        if words[0] == "END":
            done()


WRONG = {"snakego": b"\0\0\0\1\x07", "kob": b"7\n", "tankcraft": b"TEAM Striker\n"}
HUGE = {"snakego": b"\xff\xff\xff\xff", "kob": b"0" * 100000, "tankcraft": b"S" * 100000}


def compute(enough=None):
    begun = time.process_time()
    while enough is None or time.process_time() - begun < enough:
        pass


answered = 0


def turn(number, answer):
    global answered
    asked = time.monotonic_ns()
    print("turn", number, file=log, flush=True)
    if flags.ponder_early and number == 1:
        print("pondered", round(1000 * (time.process_time() - STARTED)), file=log, flush=True)
    if flags.ponder and number > 1:
        print("pondered", round(1000 * (time.process_time() - answered)), file=log, flush=True)
    if flags.ponder and number == 1:
        threading.Thread(target=compute, daemon=True).start()
    if flags.log:
        log.write("x" * flags.log + "\n")
        log.flush()
    if number == flags.crash_at:
        print("index out of range: 17", file=log, flush=True)
        leave(3)
    if number == flags.signal_at:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == flags.exit_at:
        leave(0)
    if number == flags.stall_at:
        hang()
    if number == flags.spin_at:
        compute()
    if number == flags.spin_child_at:
        subprocess.run([sys.executable, "-c", "while True: pass"])
    if number == flags.disown_at:
        disown()
    if flags.stop_child:
        wait_for_stopped_child()
    time.sleep(flags.slow)
    compute(flags.spin)
    if flags.tell_time:
        print("from", asked, "to", time.monotonic_ns(), file=log, flush=True)
    send(misbehave(answer) if number == flags.at else answer)
    answered = time.process_time()


def misbehave(answer):
    """What is sent instead of the answer."""
    if flags.close_stdout:
        os.close(1)
        hang()
    if flags.close_stdin:
        os.close(0)
        time.sleep(3600)
    if flags.half_frame:
        send(answer[:-1])
        hang()
    if flags.huge_length:
        send(HUGE[flags.game])
        hang()
    while flags.flood:
        out.write(answer * 1000)
    while flags.flood_newline:
        out.write(b"\n" * 1000)
    if flags.eat_memory:
        print("holding", len(bytearray(flags.eat_memory)), file=log, flush=True)
    if flags.fill_disk:
        fill_disk()
    if flags.fork_bomb:
        fork_bomb()
    if flags.garbage:
        return bytes.fromhex("deadbeef0a") * 5
    if flags.wrong_op:
        return WRONG[flags.game]
    if flags.illegal:
        return b"\0\0\0\1\5"
    if flags.text_before:
        return b"thinking about it\n" + answer
    return answer * 2 if flags.answer_twice else answer


def fill_disk():
    for number in range(flags.fill_disk // 1000000):
        with open(f"{os.environ['TMPDIR']}/{MARK}-{number}", "wb") as file:
            file.write(b"x" * 1000000)


def fork_bomb():
    """Forks until it may not any more, which it takes for a reason to crash."""
    try:
        while True:
            if os.fork() == 0:
                time.sleep(3600)
    except OSError as error:
        print("no more processes:", error, file=log, flush=True)
        leave(3)


def disown():
    """Lets children compute that nobody waits for, each a little while: no process's account holds what they used."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        if os.fork() == 0:
            compute(0.004)
            os._exit(0)
        try:
            os.wait()
        except ChildProcessError:
            pass


def wait_for_stopped_child():
    """Waits for a child that stays stopped, as one can that is made at the moment of a freeze."""
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(child, 0)


def leave_children():
    """Children that leave the process group, ignore the polite signals and hold no stream of ours."""
    for _ in range(flags.fork):
        if os.fork() == 0:
            try:
                os.setsid()
            except PermissionError:
                pass  # Where programs are stopped by a signal, no sandbox lets them leave their session.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            nothing = os.open("/dev/null", os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            time.sleep(3600)
            os._exit(0)


STARTED = time.process_time()
if flags.ponder_early:
    threading.Thread(target=compute, daemon=True).start()
if flags.ignore_term:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
leave_children()
time.sleep(flags.slow_start)
for _ in range(flags.threads):
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
{"snakego": snakego, "kob": kob, "tankcraft": tankcraft}[flags.game]()
