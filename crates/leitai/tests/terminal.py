# Runs a command on a pseudo-terminal of its own: terminal.py SECONDS "EXPECT=>SEND|…" COMMAND…
# Every SEND is typed as soon as its EXPECT is on the screen behind the one before. Prints the screen,
# and exits with the command's status, or 99 if the time is over or something never appeared.
import fcntl, os, pty, select, signal, struct, sys, termios, time

seconds, script, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
steps = [tuple(step.split("=>", 1)) for step in script.split("|") if step]
pid, terminal = pty.fork()
if pid != 0:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(command[0], command)
screen, at, deadline = b"", 0, time.monotonic() + seconds
over = True
while time.monotonic() < deadline:
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:
        data = b""
    if not data:
        over = False
        break
    screen += data
    while steps and screen.find(steps[0][0].encode(), at) >= 0:
        expected, answer = steps.pop(0)
        at = screen.find(expected.encode(), at) + len(expected)
        os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
sys.stdout.buffer.write(screen)
if over:
    os.kill(pid, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if over or steps:
    print("\n<< the time is over >>" if over else "", "never seen:", steps)
    sys.exit(99)
sys.exit(status if status >= 0 else 128 - status)
