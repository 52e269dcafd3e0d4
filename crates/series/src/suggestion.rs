//! The names most similar to an unknown one.

/// `did you mean X?`, or the command that lists all names.
pub fn suggest_names<'a>(
    word: &str,
    known: impl Iterator<Item = &'a str>,
    list_command: &str,
) -> String {
    match nearest_names(word, known) {
        None => format!("`{list_command}` lists them"),
        Some(names) => format!("did you mean {names}? (`{list_command}` lists all)"),
    }
}

/// The known names that are similar to this word, at most three.
pub fn nearest_names<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let distance = |name: &str| strsim::damerau_levenshtein(&word.to_lowercase(), name);
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (distance(name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .collect();
    near.sort();
    let names: Vec<&str> = near.into_iter().take(3).map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_offered() {
        let names = || ["random", "greedy", "territory"].into_iter();
        let check = |word: &str, part: &str| {
            let said = suggest_names(word, names(), "leitai bots snakego");
            assert!(said.contains(part), "{word}: {said}");
        };
        check("gredy", "did you mean greedy?");
        check("Territory", "did you mean territory?");
        check("alphazero", "`leitai bots snakego` lists them");
    }
}
