//! Where two sources have the same tokens.

use std::collections::{HashMap, HashSet};

use super::fingerprints::{FingerprintedSource, fingerprint_source, gram};
use super::source::SourceText;

/// Places of one fingerprint in one source that are looked at.
const PLACES: usize = 8;
/// Tokens that are compared in all; only sources that repeat themselves without end need more.
const WORK: usize = 10_000_000;
/// Regions that are shown.
const SHOWN: usize = 500;

/// Lines of a file of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedLines {
    /// The index of the file.
    pub file: usize,
    /// The first line, from 1.
    pub from: u32,
    /// The last line.
    pub to: u32,
}

/// A part that two sources have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedRegion {
    /// The lines of both.
    pub lines: [MatchedLines; 2],
    /// Its tokens.
    pub tokens: usize,
}

/// Equal tokens: a file and a first token of each, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    files: [usize; 2],
    starts: [usize; 2],
    length: usize,
}

/// The parts that two sources have in common and that begin with none of the fingerprints of
/// `common`, in the order of the first source. No token is in two of them.
pub fn find_regions(sources: [&SourceText; 2], common: &HashSet<u64>) -> Vec<MatchedRegion> {
    let [one, other] = sources.map(fingerprint_source);
    let mut places: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for found in &other.fingerprints {
        let known = places.entry(found.hash).or_default();
        if known.len() < PLACES && !common.contains(&found.hash) {
            known.push((found.file as usize, found.token as usize));
        }
    }
    let (mut runs, mut work) = (Vec::new(), 0);
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let mut covered: HashMap<[usize; 2], HashMap<isize, usize>> = HashMap::new();
    for found in &one.fingerprints {
        let start = (found.file as usize, found.token as usize);
        let times = seen.entry(found.hash).or_default();
        *times += 1;
        if *times > PLACES || work > WORK {
            continue;
        }
        for &place in places.get(&found.hash).into_iter().flatten() {
            // Most fingerprints lie in the run of the one before.
            let diagonal = place.1 as isize - start.1 as isize;
            let ends = covered.entry([start.0, place.0]).or_default();
            if ends.get(&diagonal).is_some_and(|end| start.1 < *end) {
                continue;
            }
            let run = extend_run([&one, &other], [start, place]);
            work += run.length;
            if run.length >= gram() {
                ends.insert(diagonal, run.starts[0] + run.length);
                runs.push(run);
            }
        }
    }
    let mut regions: Vec<MatchedRegion> = keep_longest(runs, [&one, &other])
        .iter()
        .map(|run| describe_run(run, [&one, &other]))
        .collect();
    regions.sort_by_key(|region| (region.lines[0].file, region.lines[0].from));
    regions
}

/// The longest run of equal tokens through these two.
fn extend_run(sources: [&FingerprintedSource; 2], at: [(usize, usize); 2]) -> Run {
    let [a, b] = [0, 1].map(|own| &sources[own].files[at[own].0]);
    let [mut i, mut j] = at.map(|(_, token)| token);
    while i > 0 && j > 0 && a[i - 1].code == b[j - 1].code {
        (i, j) = (i - 1, j - 1);
    }
    let equal = a[i..].iter().zip(&b[j..]);
    Run {
        files: at.map(|(file, _)| file),
        starts: [i, j],
        length: equal
            .take_while(|(one, other)| one.code == other.code)
            .count(),
    }
}

/// The longest runs; of those that overlap only what is left of the shorter.
fn keep_longest(mut runs: Vec<Run>, sources: [&FingerprintedSource; 2]) -> Vec<Run> {
    runs.sort_by_key(|run| std::cmp::Reverse(run.length));
    let mut used = sources.map(|source| {
        let files = source.files.iter();
        files
            .map(|tokens| vec![false; tokens.len()])
            .collect::<Vec<_>>()
    });
    let mut kept = Vec::new();
    for run in runs {
        let is_free =
            |at: usize| (0..2).all(|own| !used[own][run.files[own]][run.starts[own] + at]);
        let begin = (0..run.length)
            .find(|at| is_free(*at))
            .unwrap_or(run.length);
        let length = (begin..run.length).take_while(|at| is_free(*at)).count();
        if length < gram() {
            continue;
        }
        let run = Run {
            starts: run.starts.map(|start| start + begin),
            length,
            ..run
        };
        for (used, (file, start)) in used.iter_mut().zip(run.files.iter().zip(run.starts)) {
            used[*file][start..start + length].fill(true);
        }
        kept.push(run);
        if kept.len() >= SHOWN {
            break;
        }
    }
    kept
}

fn describe_run(run: &Run, sources: [&FingerprintedSource; 2]) -> MatchedRegion {
    let lines = [0, 1].map(|own| {
        let tokens = &sources[own].files[run.files[own]][run.starts[own]..];
        MatchedLines {
            file: run.files[own],
            from: tokens[0].line,
            to: tokens[run.length - 1].line,
        }
    });
    MatchedRegion {
        lines,
        tokens: run.length,
    }
}
