//! `leitai book`

use std::sync::atomic::Ordering;

use leitai_series::book::{Book, BookMaker, BookRules};

use crate::arguments::find_game;
use crate::cli::{BalanceArg, BookCheckArgs, BookCommand, BookMakeArgs};
use crate::cmd::analyze::list_files;
use crate::files::{is_stdout, write};
use crate::prelude::*;
use crate::series::INTERRUPTED;
use crate::{replay_file, stop};

/// Runs a command about position books.
pub fn run(lang: Localizer, command: &BookCommand) -> Result<ExitCode> {
    match command {
        BookCommand::Make(args) => make(lang, args),
        BookCommand::Check(args) => check(lang, args),
    }
}

fn make(lang: Localizer, args: &BookMakeArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let rules = BookRules {
        rounds: args.rounds.first..=args.rounds.last.unwrap_or(u32::MAX),
        least_games: args.min_games,
        balance: args.balance,
        by_results: args.balance_by == BalanceArg::Results,
        budget: args.budget,
        most: usize::from(args.most),
        is_even: args.even,
    };
    let paths = list_files(&args.replays)?;
    let [first, ..] = &paths[..] else {
        return Err(usage_error("no replay is named"));
    };
    let (_, game) = replay_file::read_replay(first)?;
    let mut maker = BookMaker::new(&game, &rules).map_err(UsageError::wrap)?;
    for path in &paths {
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let (replay, own) = replay_file::read_replay(path)?;
        let (id, other) = (game.meta().id, own.meta().id);
        if other != id {
            let why = format!("a book is of one game; there are replays of {id} and {other}");
            return Err(usage_error(why));
        }
        let added = maker.add_replay(&replay);
        added.with_context(|| path.display().to_string())?;
    }
    let legs = maker.leg_count();
    let Some((text, count)) = maker.finish(&|| stop.load(Ordering::Relaxed))? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let answer = |file: Option<&str>, text: String| {
        let fields = json!({"file": file, "legs": legs, "positions": count});
        Answer::new("book-make", fields, text).print(args.form.json)
    };
    if count == 0 {
        let none = lang.fill(
            "none of the positions of {} legs may be in the book",
            &[&legs],
        );
        return answer(None, none);
    }
    write(&args.output, &text)?;
    if is_stdout(&args.output) {
        return Ok(ExitCode::SUCCESS);
    }
    let file = args.output.display().to_string();
    let done = lang.fill(
        "wrote {}: {} positions of {} legs",
        &[&clean_line(&file), &count, &legs],
    );
    answer(Some(&file), done)
}

fn check(lang: Localizer, args: &BookCheckArgs) -> Result<ExitCode> {
    let game = find_game(&args.game)?;
    let book = Book::read(&args.book, &*game)?;
    let count = book.positions.len();
    let fields =
        json!({"game": game.meta().id, "positions": count, "fingerprint": book.fingerprint});
    let done = lang.fill("{} positions, all sound", &[&count]);
    Answer::new("book-check", fields, done).print(args.form.json)
}
