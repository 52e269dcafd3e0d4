//! Versions and ranges of versions, as Python, Rust, JavaScript and Java write them.

use std::cmp::Ordering;

/// A version: numbers, and how far before or after its release it is.
#[derive(Clone, Debug)]
pub struct Version {
    numbers: Vec<u64>,
    /// Negative before the release, positive after it, with the number of the candidate or patch.
    stage: (i8, u64),
}

/// Ranges of versions, one of which must hold.
#[derive(Clone, Debug)]
pub struct VersionRange(Vec<Vec<Bound>>);

#[derive(Clone, Debug)]
enum Bound {
    /// How the version may compare with this one.
    Ordered(&'static [Ordering], Version),
    /// Whether its first numbers are these.
    Begins(Vec<u64>, bool),
}

const SAME: &[Ordering] = &[Ordering::Equal];
const OTHER: &[Ordering] = &[Ordering::Less, Ordering::Greater];
const LESS: &[Ordering] = &[Ordering::Less];
const MORE: &[Ordering] = &[Ordering::Greater];
const AT_LEAST: &[Ordering] = &[Ordering::Equal, Ordering::Greater];
const AT_MOST: &[Ordering] = &[Ordering::Equal, Ordering::Less];

/// The most characters of a version or a range.
const LONGEST: usize = 200;

impl Version {
    /// The version that a text names, if it is one.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim().to_ascii_lowercase();
        if text.len() > LONGEST {
            return None;
        }
        // What follows a plus sign tells builds of the same version apart.
        let text = text.split('+').next().unwrap_or_default();
        let mut rest = text.strip_prefix('v').unwrap_or(text);
        let mut numbers = Vec::new();
        loop {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            numbers.push(rest[..digits].parse().ok()?);
            rest = &rest[digits..];
            match rest.strip_prefix('.') {
                Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => rest = after,
                _ => break,
            }
        }
        let stage = read_stage(rest.strip_prefix(['.', '-', '_']).unwrap_or(rest))?;
        Some(Version { numbers, stage })
    }

    fn of(numbers: Vec<u64>) -> Version {
        let stage = (0, 0);
        Version { numbers, stage }
    }

    fn number(&self, index: usize) -> u64 {
        self.numbers.get(index).copied().unwrap_or(0)
    }

    /// The first version that differs at this number or before it.
    fn after(&self, index: usize) -> Version {
        let mut numbers: Vec<u64> = (0..=index).map(|at| self.number(at)).collect();
        numbers[index] = numbers[index].saturating_add(1);
        Version::of(numbers)
    }

    fn compare(&self, other: &Version) -> Ordering {
        let most = self.numbers.len().max(other.numbers.len());
        let numbers = (0..most).map(|at| self.number(at).cmp(&other.number(at)));
        let numbers = numbers.fold(Ordering::Equal, Ordering::then);
        numbers.then(self.stage.cmp(&other.stage))
    }
}

/// What stands behind the numbers: `rc1`, `beta.2`, `post3`.
fn read_stage(rest: &str) -> Option<(i8, u64)> {
    if rest.is_empty() {
        return Some((0, 0));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if !rest.chars().all(plain) || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = name.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let number = rest.split(|c: char| !c.is_ascii_digit());
    let number = number.filter_map(|digits| digits.parse().ok()).next();
    let rank = match word {
        "dev" | "snapshot" => -4,
        "a" | "alpha" => -3,
        "b" | "beta" => -2,
        "post" | "rev" | "r" | "" => 1,
        // Variants of Java's libraries, not stages.
        "final" | "ga" | "release" | "jre" | "android" => 0,
        _ => -1,
    };
    Some((rank, number.unwrap_or(0)))
}

impl VersionRange {
    /// Every version.
    pub fn any() -> VersionRange {
        VersionRange(vec![Vec::new()])
    }

    /// Whether a version is one of these.
    pub fn contains(&self, version: &Version) -> bool {
        let holds = |bound: &Bound| match bound {
            Bound::Ordered(allowed, than) => allowed.contains(&version.compare(than)),
            Bound::Begins(numbers, wanted) => {
                let same = (0..numbers.len()).all(|at| version.number(at) == numbers[at]);
                same == *wanted
            }
        };
        self.0.iter().any(|bounds| bounds.iter().all(holds))
    }

    /// As PEP 440 says: `>=2,<3`, `==2.2.*`, `~=2.2`, `!=2.1`.
    pub fn of_python(text: &str) -> Option<VersionRange> {
        const OPERATORS: [&str; 8] = ["===", "==", "!=", "~=", ">=", "<=", ">", "<"];
        let one = |part: &str| {
            let operator = OPERATORS.iter().find(|one| part.starts_with(**one))?;
            let version = part[operator.len()..].trim();
            let is_equal = *operator == "==";
            if (is_equal || *operator == "!=")
                && let Some(start) = version.strip_suffix(".*")
            {
                return Some(vec![Bound::Begins(
                    Version::parse(start)?.numbers,
                    is_equal,
                )]);
            }
            let version = Version::parse(version)?;
            if *operator == "~=" {
                let last = version.numbers.len().checked_sub(2)?;
                return Some(between(version.clone(), version.after(last)));
            }
            let operator = operator.trim_start_matches("==");
            ordered(if operator.is_empty() { "=" } else { operator }, version)
        };
        all_of(text, one)
    }

    /// As Cargo says: `1.2` and `^1.2`, `~1.2`, `=1.2.3`, `>=1, <3`, `1.*`.
    pub fn of_cargo(text: &str) -> Option<VersionRange> {
        all_of(text, |part| comparator(part, caret))
    }

    /// As npm says: `^1.2.3`, `~1.2`, `1.x`, `>=1 <3`, `1.2 - 2`, `1 || 2`.
    pub fn of_npm(text: &str) -> Option<VersionRange> {
        if text.len() > LONGEST {
            return None;
        }
        let set = |part: &str| {
            if let Some((from, to)) = part.split_once(" - ") {
                return Some(
                    [
                        ordered(">=", Version::parse(from)?)?,
                        ordered("<=", Version::parse(to)?)?,
                    ]
                    .concat(),
                );
            }
            // A blank may follow an operator.
            let mut words = part.to_owned();
            for operator in [">", "<", "=", "^", "~"] {
                words = words.replace(&format!("{operator} "), operator);
            }
            let each = words.split_whitespace();
            let each = each.map(|one| comparator(one, exact_or_beginning));
            Some(each.collect::<Option<Vec<_>>>()?.concat())
        };
        let sets = text.split("||").map(|part| set(part.trim()));
        Some(VersionRange(sets.collect::<Option<_>>()?))
    }

    /// As Maven says: `[1.0,2.0)`, `[1.2]`; a version alone also allows newer ones that should be
    /// compatible.
    pub fn of_maven(text: &str) -> Option<VersionRange> {
        let text = text.trim();
        let Some(inner) = text.strip_prefix(['[', '(']) else {
            return Some(VersionRange(vec![caret(Version::parse(text)?)]));
        };
        let inner = inner.strip_suffix([']', ')'])?;
        let Some((from, to)) = inner.split_once(',') else {
            return Some(VersionRange(vec![ordered("=", Version::parse(inner)?)?]));
        };
        let (mut bounds, ends) = (Vec::new(), (text.starts_with('['), text.ends_with(']')));
        if !from.trim().is_empty() {
            let operator = if ends.0 { ">=" } else { ">" };
            bounds.extend(ordered(operator, Version::parse(from)?)?);
        }
        if !to.trim().is_empty() {
            let operator = if ends.1 { "<=" } else { "<" };
            bounds.extend(ordered(operator, Version::parse(to)?)?);
        }
        Some(VersionRange(vec![bounds]))
    }
}

/// Bounds with commas between them, all of which must hold.
fn all_of(text: &str, one: impl Fn(&str) -> Option<Vec<Bound>>) -> Option<VersionRange> {
    if text.len() > LONGEST {
        return None;
    }
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let bounds: Option<Vec<_>> = parts.map(one).collect();
    Some(VersionRange(vec![bounds?.concat()]))
}

fn ordered(operator: &str, version: Version) -> Option<Vec<Bound>> {
    let allowed = match operator {
        "=" => SAME,
        "!=" => OTHER,
        "<" => LESS,
        ">" => MORE,
        ">=" => AT_LEAST,
        "<=" => AT_MOST,
        _ => return None,
    };
    Some(vec![Bound::Ordered(allowed, version)])
}

fn between(from: Version, to: Version) -> Vec<Bound> {
    vec![Bound::Ordered(AT_LEAST, from), Bound::Ordered(LESS, to)]
}

/// A bound of Cargo or npm; `alone` is what a version without an operator means.
fn comparator(part: &str, alone: fn(Version) -> Vec<Bound>) -> Option<Vec<Bound>> {
    const OPERATORS: [&str; 7] = [">=", "<=", ">", "<", "=", "^", "~"];
    let operator = OPERATORS.iter().find(|one| part.starts_with(**one));
    let version = part[operator.map_or(0, |one| one.len())..].trim();
    if ["", "*", "x", "latest"].contains(&version) {
        return Some(Vec::new());
    }
    let parts: Vec<&str> = version.split('.').collect();
    if let Some(at) = parts.iter().position(|part| ["x", "X", "*"].contains(part)) {
        return Some(vec![Bound::Begins(
            Version::parse(&parts[..at].join("."))?.numbers,
            true,
        )]);
    }
    let version = Version::parse(version)?;
    match operator.copied() {
        None => Some(alone(version)),
        Some("^") => Some(caret(version)),
        Some("~") => {
            let to = version.after(usize::from(version.numbers.len() > 1));
            Some(between(version, to))
        }
        Some(operator) => ordered(operator, version),
    }
}

/// This version and later ones with the same first number that is not 0.
fn caret(version: Version) -> Vec<Bound> {
    let first = version.numbers.iter().position(|number| *number != 0);
    let to = version.after(first.unwrap_or(version.numbers.len() - 1));
    between(version, to)
}

fn exact_or_beginning(version: Version) -> Vec<Bound> {
    match version.numbers.len() {
        3.. => vec![Bound::Ordered(SAME, version)],
        _ => vec![Bound::Begins(version.numbers, true)],
    }
}
