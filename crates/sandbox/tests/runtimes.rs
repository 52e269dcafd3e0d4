//! Honest programs work in every tier: threads, child processes, own files, temporary files, random
//! numbers, the clock, and 300 MiB of memory.

mod kit;

use leitai_sandbox::{ExitReason, Program, SandboxLimits, StdioKind};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn c_dynamic_and_static() {
    for arguments in [&[][..], &["-static"]] {
        let (folder, binary) = kit::compiled(C, arguments);
        check(&[binary.to_str().expect("ASCII")], folder.path(), "C");
    }
}

#[test]
fn python() {
    if_there("/usr/bin/python3", |python, folder| {
        fs::write(folder.join("bot.py"), PYTHON).expect("written");
        check(&[python, "bot.py"], folder, "Python");
    });
}

#[test]
fn node() {
    if_there("/usr/bin/node", |node, folder| {
        fs::write(folder.join("bot.js"), NODE).expect("written");
        check(&[node, "bot.js"], folder, "Node");
    });
}

#[test]
fn java() {
    if_there("/usr/bin/java", |java, folder| {
        fs::write(folder.join("Bot.java"), JAVA).expect("written");
        let compiled = Command::new("javac")
            .arg("Bot.java")
            .current_dir(folder)
            .output();
        match compiled {
            Ok(said) if said.status.success() => {}
            other => return eprintln!("skipped: javac does not work: {other:?}"),
        }
        check(
            &[
                java,
                "-Xmx400m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-cp",
                ".",
                "Bot",
            ],
            folder,
            "Java",
        );
    });
}

#[test]
fn shell() {
    let folder = kit::open_folder();
    fs::write(folder.path().join("data"), "data").expect("written");
    let script = "set -e; [ $(cat data) = data ]; t=$(mktemp); ls /usr/bin | sort -r | head -3 >$t; [ $(wc -l <$t) = 3 ]; rm $t; \
                  cp data copy; cat copy | cmp - data; \
                  date >/dev/null; head -c 16 /dev/urandom | od >/dev/null; (sleep 0 & wait); echo ok >/dev/stdout";
    check(&["/bin/sh", "-c", script], folder.path(), "a shell");
}

fn if_there(binary: &str, test: impl Fn(&str, &Path)) {
    if !Path::new(binary).exists() {
        eprintln!("skipped: there is no {binary}");
        return;
    }
    let folder = kit::open_folder();
    test(binary, folder.path());
}

fn check(words: &[&str], folder: &Path, name: &str) {
    fs::write(folder.join("data"), "data").expect("written");
    for sandbox in kit::sandboxes() {
        let program = Program::new(words.iter().copied(), folder).with_limits(SandboxLimits::BOT);
        let child = sandbox
            .spawn_program(&program, StdioKind::Separate)
            .expect("it starts");
        kit::note_helpers();
        let (exit, heard, child) = kit::finish(child);
        let context = format!(
            "{name} in tier {}: {} {:?}",
            sandbox.tier(),
            heard.err,
            child.exceeded_limit()
        );
        assert_eq!(
            (exit, heard.out.trim()),
            (ExitReason::Code(0), "ok"),
            "{context}"
        );
    }
}

#[test]
fn runtimes_for_an_ordinary_user() {
    kit::again_as_nobody(&["c_dynamic_and_static", "python", "node", "java", "shell"]);
}

const C: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void *work(void *sum) { for (int i = 0; i < 1000000; i++) *(volatile long *)sum += i; return 0; }
static int bad(const char *what) { perror(what); return 1; }
int main(void) {
    pthread_t threads[8];
    long sums[8] = {0};
    for (int i = 0; i < 8; i++) if (pthread_create(&threads[i], 0, work, &sums[i])) return bad("thread");
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    char text[5] = "";
    FILE *file = fopen("data", "r");
    if (!file || !fgets(text, 5, file) || strcmp(text, "data")) return bad("data");
    FILE *own = tmpfile();
    char name[256];
    snprintf(name, sizeof name, "%s/XXXXXX", getenv("TMPDIR"));
    int temporary = mkstemp(name);
    if (temporary < 0 || write(temporary, "x", 1) != 1 || unlink(name)) return bad("temporary");
    if (system("/bin/true")) return bad("system");
    FILE *pipe = popen("echo hello", "r");
    if (!pipe || !fgets(text, 5, pipe) || pclose(pipe)) return bad("popen");
    struct timespec now;
    if (getrandom(text, 4, 0) != 4 || clock_gettime(CLOCK_MONOTONIC, &now) || time(0) < 1000000000) return bad("clock");
    char *memory = malloc(300 << 20);
    if (!memory) return bad("memory");
    memset(memory, 1, 300 << 20);
    puts("ok");
    return 0;
}
"#;

const PYTHON: &str = r#"
import os, random, secrets, subprocess, sys, tempfile, threading, time
assert open("data").read() == "data"
results = []
threads = [threading.Thread(target=lambda: results.append(sum(range(100000)))) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(results) == 8
assert subprocess.run(["/bin/echo", "hello"], capture_output=True, check=True).stdout == b"hello\n"
assert subprocess.check_output([sys.executable, "-c", "print(6 * 7)"]).strip() == b"42"
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    open(os.path.join(folder, "x"), "w").write("x")
    file.write(b"x")
open("new", "w").write("x")
import shutil, socket
assert open(shutil.copyfile("data", "copy")).read() == "data"
left, right = socket.socketpair()
left.sendfile(open("data", "rb"))
assert right.recv(9) == b"data"
assert time.time() > 1e9 and time.monotonic() > 0 and len(secrets.token_bytes(16)) == 16 and random.random() < 1
import json, collections, socket, select, asyncio
assert socket.getaddrinfo("127.0.0.1", 80, flags=socket.AI_ADDRCONFIG)[0][4] == ("127.0.0.1", 80)
asyncio.run(asyncio.sleep(0))
memory = bytearray(b"x") * (300 << 20)
print("ok", flush=True)
"#;

const NODE: &str = r#"
const assert = require("assert"), fs = require("fs"), os = require("os"), path = require("path");
const { spawnSync } = require("child_process"), { Worker } = require("worker_threads");
assert.equal(fs.readFileSync("data", "utf8"), "data");
assert.equal(spawnSync("/bin/echo", ["hello"]).stdout.toString(), "hello\n");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "x"));
fs.writeFileSync(path.join(folder, "x"), "x");
try {
    fs.copyFileSync("data", path.join(folder, "y"));
    assert.equal(fs.readFileSync(path.join(folder, "y"), "utf8"), "data");
} catch (error) {
    // It changes the mode of the copy, which tier C refuses.
    assert.equal(error.code, "EPERM");
}
fs.rmSync(folder, { recursive: true });
assert(Date.now() > 1e12 && require("crypto").randomBytes(16).length === 16);
const memory = Buffer.alloc(300 << 20, 1);
const worker = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
worker.on("message", (answer) => { assert.equal(answer, 42); setTimeout(() => { console.log("ok"); process.exit(memory.length > 0 ? 0 : 1); }, 1); });
"#;

const JAVA: &str = r#"
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
public class Bot {
    public static void main(String[] words) throws Exception {
        if (!Files.readString(Path.of("data")).equals("data")) throw new Error("data");
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Long>> sums = new ArrayList<>();
        for (int i = 0; i < 8; i++) sums.add(pool.submit(() -> java.util.stream.LongStream.range(0, 1000000).sum()));
        for (Future<Long> sum : sums) if (sum.get() != 499999500000L) throw new Error("sum");
        pool.shutdown();
        Process process = new ProcessBuilder("/bin/echo", "hello").start();
        if (!new String(process.getInputStream().readAllBytes()).equals("hello\n") || process.waitFor() != 0) throw new Error("echo");
        Path file = Files.createTempFile(Path.of(System.getenv("TMPDIR")), "x", ".txt");
        Files.writeString(file, "x");
        try (var from = java.nio.channels.FileChannel.open(Path.of("data")); var to = java.nio.channels.FileChannel.open(file, StandardOpenOption.WRITE)) {
            from.transferTo(0, 4, to);
        }
        if (!Files.readString(file).equals("data")) throw new Error("transfer");
        Files.copy(Path.of("data"), file, StandardCopyOption.REPLACE_EXISTING);
        Files.delete(file);
        if (new java.security.SecureRandom().nextInt() == new Random().nextInt() || System.currentTimeMillis() < 1000000000000L) throw new Error("clock");
        byte[][] memory = new byte[300][];
        for (int i = 0; i < 300; i++) { memory[i] = new byte[1 << 20]; Arrays.fill(memory[i], (byte) 1); }
        System.out.println(memory[299][7] == 1 ? "ok" : "bad");
    }
}
"#;
