//! Programs that are copies, and programs that are not.

use std::collections::HashSet;
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use leitai_server::similar::fingerprints::fingerprint_source;
use leitai_server::similar::pairs::{FoundPair, find_pairs};
use leitai_server::similar::source::{SourceText, read_source};
use leitai_server::similar::*;

const ORIGINAL: &str = r#"
import sys

def distance(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])

def best_move(board, snake, foods):
    best, chosen = -1000000, None
    for direction in range(4):
        head = (snake[0][0] + DX[direction], snake[0][1] + DY[direction])
        if not board.inside(head) or head in snake[1:]:
            continue
        value = 0
        for food in foods:
            value += 40 / (1 + distance(head, food))
        for part in snake[1:]:
            value -= 3 / (1 + distance(head, part))
        if value > best:
            best, chosen = value, direction
    return chosen

def flood(board, start, walls):
    seen, queue = {start}, [start]
    while queue:
        x, y = queue.pop()
        for direction in range(4):
            there = (x + DX[direction], y + DY[direction])
            if there in seen or there in walls:
                continue
            if board.inside(there):
                seen.add(there)
                queue.append(there)
    return len(seen)
"#;

/// Renamed, reordered, with other values, comments and layout.
const COPY: &str = r#"
# My very own snake
from sys import stdin

def room(grid, origin, stones):
    known, todo = {origin}, [origin]   # breadth first
    while todo:
        a, b = todo.pop()
        for d in range(8):
            nxt = (a + STEP_X[d], b + STEP_Y[d])

            if nxt in known or nxt in stones:
                continue
            if grid.contains(nxt):
                known.add(nxt)
                todo.append(nxt)
    return len(known)

def think(grid, body, apples):
    top, result = -77, None
    for d in range(8):
        nose = (body[9][0] + STEP_X[d], body[0][5] + STEP_Y[d])
        if not grid.contains(nose) or nose in body[2:]:
            continue
        score = 1
        for apple in apples:
            score += 55.5 / (2 + manhattan(nose, apple))
        for piece in body[3:]:
            score -= 9 / (4 + manhattan(nose, piece))
        if score > top:
            top, result = score, d
    return result

def manhattan(p, q):
    return abs(p[0] - q[0]) + abs(p[1] - q[1])
"#;

const INDEPENDENT: &str = r#"
import sys, random

class Searcher:
    def __init__(self, depth, seconds):
        self.depth = depth
        self.table = {}
        self.deadline = seconds

    def negamax(self, state, depth, alpha, beta):
        key = state.key()
        if key in self.table and self.table[key][0] >= depth:
            return self.table[key][1]
        if depth == 0 or state.over():
            return self.evaluate(state)
        for move in sorted(state.moves(), key=self.order, reverse=True):
            after = state.play(move)
            alpha = max(alpha, -self.negamax(after, depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        self.table[key] = (depth, alpha)
        return alpha

    def evaluate(self, state):
        mine, theirs = state.reach(0), state.reach(1)
        return (mine - theirs) * 10 + random.random()

for line in sys.stdin:
    state = State(line)
    print(Searcher(4, 0.2).negamax(state, 4, -9999, 9999), flush=True)
"#;

fn source(name: &str, text: &str) -> SourceText {
    read_source(name, text.as_bytes())
}

fn compare(sources: &[SourceText]) -> Vec<FoundPair> {
    let hashes: Vec<Vec<u64>> = sources
        .iter()
        .map(|source| fingerprint_source(source).into_hashes())
        .collect();
    find_pairs(&hashes, &HashSet::new()).0
}

fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default();
        zip.start_file(*name, options).expect("a name");
        zip.write_all(bytes).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

#[test]
fn renamed_and_reordered_copies_are_found_and_independent_programs_are_not() {
    let [one, copy, other] = [ORIGINAL, COPY, INDEPENDENT].map(|text| source("bot.py", text));
    let pairs = compare(&[one.clone(), other, copy.clone()]);
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert_eq!(pairs[0].sources, [0, 2]);
    assert!(pairs[0].similarity() > 0.8, "{pairs:?}");
    let regions = find_regions([&one, &copy], &HashSet::new());
    let line = |text: &str, part: &str| {
        1 + text[..text.find(part).expect("it is there")]
            .lines()
            .count() as u32
    };
    for (own, other) in [("def best_move", "def think"), ("def flood", "def room")] {
        let [from, at] = [line(ORIGINAL, own), line(COPY, other)];
        let covers = |lines: MatchedLines, line: u32| (lines.from..=lines.to).contains(&line);
        let found = regions
            .iter()
            .any(|region| covers(region.lines[0], from + 5) && covers(region.lines[1], at + 5));
        assert!(found, "{own}: {regions:?}");
    }
}

#[test]
fn a_copy_is_found_inside_an_archive_of_another_shape() {
    let long = format!("{INDEPENDENT}\n{}", COPY.replace("def ", "async def "));
    let packed = pack(&[
        ("snake/README.md", b"nothing"),
        ("snake/deep/er/help.py", long.as_bytes()),
        ("snake/data.bin", &[0; 4096]),
        ("snake/main.py", b"import help"),
    ]);
    let archive = read_source("bot.zip", &packed);
    let names: Vec<&str> = archive
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(names, ["snake/deep/er/help.py", "snake/main.py"]);
    let pairs = compare(&[source("bot.py", ORIGINAL), archive]);
    assert_eq!(pairs.len(), 1);
    assert!(
        pairs[0].parts[0] > 0.7 && pairs[0].parts[1] < 0.7,
        "{pairs:?}"
    );
}

#[test]
fn what_was_given_counts_for_nobody() {
    let game = leitai_games::find_game("snakego").expect("a game");
    let given = given_fingerprints(Some(game));
    for template in game.list_templates() {
        let sdk = template.files.iter().map(|file| (file.name, file.text));
        for (name, text) in std::iter::once((template.file_name, template.code)).chain(sdk) {
            let own = fingerprint_source(&source(name, text)).into_hashes();
            let left = find_pairs(&[own.clone(), own], &given).0;
            assert!(left.is_empty(), "{name}");
        }
    }
}

#[test]
fn hostile_uploads_do_no_harm() {
    let long = "a+b;".repeat(1 << 20);
    let lines = "\n".repeat(3 << 20);
    let deep = "a/".repeat(500) + "x.py";
    let many: Vec<(String, &[u8])> = (0..1_000)
        .map(|n| (format!("{n}.py"), &b"x = 1"[..]))
        .collect();
    let many: Vec<(&str, &[u8])> = many
        .iter()
        .map(|(name, text)| (name.as_str(), *text))
        .collect();
    let zeros = vec![b' '; 8 << 20];
    let bomb = pack(&[("a.py", &zeros), ("b.py", ORIGINAL.as_bytes())]);
    assert!(bomb.len() < 1 << 20);
    for (name, bytes) in [
        ("bot.py", &b"\0\xff\xfe"[..]),
        ("bot.py", &[0xff; 1000]),
        ("bot", b"\x7fELF\x02"),
        ("bot.zip", b"PK\x03\x04 and nothing else"),
        ("bot.zip", &bomb[..bomb.len() / 2]),
        ("bot.zip", &bomb),
        ("bot.zip", &pack(&[(&deep, b"x = 1")])),
        ("bot.zip", &pack(&[("../../x.py", b"x = 1")])),
        ("bot.zip", &pack(&many)),
        ("bot.cpp", long.as_bytes()),
        ("bot.rs", lines.as_bytes()),
        ("bot.js", b"`${`${`"),
    ] {
        let read = read_source(name, bytes);
        let size: usize = read.files.iter().map(|file| file.text.len()).sum();
        assert!(size <= 4 << 20 && read.files.len() <= 200, "{name}");
        let found = fingerprint_source(&read);
        let tokens: usize = found.files.iter().map(Vec::len).sum();
        assert!(tokens <= 100_000, "{name}: {tokens}");
        find_regions([&read, &read], &HashSet::new());
        assert!(compare(&[read.clone(), read]).len() <= 1);
    }
}
