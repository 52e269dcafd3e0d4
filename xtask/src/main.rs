//! Maintenance tasks of the workspace.
//!
//! `cargo xtask tidy` checks the layout that `ARCHITECTURE.md` describes (dependencies of crates,
//! places of `unsafe`, purity of the rules), that no files use each other in circles, that citations resolve, the glossary, the code map, and that
//! both READMEs have the same links. `cargo xtask map` writes the code map. `cargo xtask test` builds,
//! lints and runs all tests. `cargo xtask
//! instructions [--check] [--release]` counts instructions. `cargo xtask book FOLDER` makes the sources of the
//! documents' site (`./dev docs`), `cargo xtask book-check FOLDER` checks the links of the site.
//! `cargo xtask sbom TARGET` lists what lies in the program (`./dev release`).

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod book;
mod circles;
mod citations;
mod code_map;
mod dependencies;
mod excerpts;
mod glossary;
mod instructions;
mod layers;
mod page_imports;
mod readme;
mod run_tests;
mod rust_paths;
mod sbom;
mod sources;
mod test_files;
mod untrusted_folders;
mod uses;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(count) => {
            eprintln!("xtask: {count} complaints or failures");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of problems.
fn run() -> anyhow::Result<usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the workspace")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["tidy"] => tidy(root),
        ["map"] => code_map::write(root),
        ["test", words @ ..] => run_tests::run(root, &run_tests::Wanted::parse(words)?),
        ["repeat", words @ ..] => run_tests::repeat(root, words),
        ["book", out] => book::write(root, &root.join(out)),
        ["book-check", site] => {
            let complaints = book::check_site(&root.join(site))?;
            complaints
                .iter()
                .for_each(|complaint| eprintln!("{complaint}"));
            Ok(complaints.len())
        }
        ["sbom", target] => {
            println!("{}", sbom::write(root, target)?);
            Ok(0)
        }
        ["instructions", options @ ..] => count_instructions(root, options),
        _ => anyhow::bail!(
            "chores: cargo xtask tidy | map | test [--before FILE] [--keep WHY] [COMMAND …] [--built COMMAND …] | \
             repeat TIMES [NAME …] | instructions [--check] [--release] | book FOLDER | book-check FOLDER | sbom TARGET"
        ),
    }
}

fn count_instructions(root: &Path, options: &[&str]) -> anyhow::Result<usize> {
    use instructions::Build;
    for option in options {
        let is_known = ["--check", "--release"].contains(option);
        anyhow::ensure!(
            is_known,
            "instructions takes --check and --release, not {option}"
        );
    }
    let build = match options.contains(&"--release") {
        true => Build::Release,
        false => Build::Tests,
    };
    instructions::run(root, build, options.contains(&"--check"))
}

fn tidy(root: &Path) -> anyhow::Result<usize> {
    let mut complaints = dependencies::check(&dependencies::edges(root)?);
    complaints.extend(sources::check(root)?);
    complaints.extend(layers::check(root)?);
    let uses = circles::read_uses(root)?;
    complaints.extend(layers::check_store(&uses));
    complaints.extend(circles::check(root, &uses)?);
    complaints.extend(untrusted_folders::check(root)?);
    complaints.extend(citations::check(root)?);
    complaints.extend(code_map::check(root)?);
    complaints.extend(excerpts::check(root)?);
    complaints.extend(glossary::check(root)?);
    complaints.extend(test_files::check(root)?);
    complaints.extend(book::stage(root)?.complaints);
    complaints.extend(readme::check(root)?);
    complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    if complaints.is_empty() {
        println!("tidy: crates, unsafe code and the rules' purity are as ARCHITECTURE.md says;");
        println!("tidy: modules use none above them, and no more files use each other in circles;");
        println!("tidy: folders of strangers' programs are entered in one way;");
        println!("tidy: every cited path and rule exists, and so do the glossary's types;");
        println!("tidy: the code map is of today, and so is what docs/adding-a-game.md shows;");
        println!("tidy: every document is in a book, and both READMEs have the same links");
    }
    Ok(complaints.len())
}
