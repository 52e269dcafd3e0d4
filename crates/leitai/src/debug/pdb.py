# Runs a bot and starts pdb on the terminal, because stdin and stdout are the bot's protocol.
# Arguments: a folder for signs, "run" or "stop", the bot's file, the bot's arguments.
import os
import signal
import sys
import types


def _leitai_debug():
    import bdb
    import pdb

    folder, mode, script = sys.argv[1:4]
    terminal_in, terminal_out = open("/dev/tty"), open("/dev/tty", "w")
    debugger = pdb.Pdb(stdin=terminal_in, stdout=terminal_out, nosigint=True)
    debugger.prompt = "(Pdb) "
    root = os.path.dirname(os.path.abspath(script))

    def own_frame(frame):
        """The innermost frame of the bot's own files: nobody wants to begin inside a library."""
        inner = frame
        while frame is not None:
            if os.path.abspath(frame.f_code.co_filename).startswith(root + os.sep):
                return frame
            frame = frame.f_back
        return inner

    def sign(name):
        open(os.path.join(folder, name), "w").close()

    def prompt(frame):
        """Shows the prompt at once, also while the bot waits or sleeps."""
        frame = own_frame(frame)
        sys.settrace(None)
        debugger.reset()
        above = frame
        while above is not None:
            above.f_trace = debugger.trace_dispatch
            debugger.botframe = above
            above = above.f_back
        debugger.interaction(frame, None)
        if debugger.quitting:
            os._exit(0)
        sys.settrace(debugger.trace_dispatch)

    def interrupted(number, frame):
        prompt(frame)

    def moment(number, frame):
        sign("armed")  # The read goes on only when this handler has returned.
        prompt(frame)

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGUSR1, moment)
    sys.argv = sys.argv[3:]
    sys.path[0] = root
    with open(script, "rb") as file:
        code = compile(file.read(), os.path.abspath(script), "exec")
    main = types.ModuleType("__main__")
    main.__file__ = script
    sys.modules["__main__"] = main
    names = main.__dict__
    sign("started")
    try:
        if mode == "stop":
            debugger.run(code, names)
        else:
            exec(code, names)
    except SystemExit:
        raise
    except bdb.BdbQuit:
        os._exit(0)
    except BaseException as error:
        import traceback

        sys.settrace(None)
        traceback.print_exc()
        terminal_out.write("leitai: the program died here; q leaves\n")
        trace = error.__traceback__
        debugger.reset()
        debugger.interaction(None, trace)
        os._exit(1)


_leitai_debug()
