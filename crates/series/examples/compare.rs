//! Compares two built-in bots of King of Bots in process: no program is started, no file is
//! written. Run it with `cargo run -p leitai-series --example compare`.

use std::sync::atomic::AtomicBool;

use leitai_game::Lang;
use leitai_series::comparison::{ComparisonOptions, compare};
use leitai_series::{EntrantRequest, Language, MatchOptions, Roster, messages};

fn main() -> anyhow::Result<()> {
    let game = leitai_games::find_game("kob").expect("King of Bots is listed");
    let entrants = ["space", "random"].map(EntrantRequest::from_word);
    let options = MatchOptions::new(game)?;
    let roster = Roster::build_entrants(game, &entrants, &options, &mut |_| {})?;
    let stop = AtomicBool::new(false);
    let (result, _) = compare(
        &roster,
        ComparisonOptions::default(),
        1,
        &stop,
        &mut |notice| {
            eprintln!("seed {}: {}", notice.seed, notice.why);
        },
    )?;
    let catalogue = messages::catalogue([game]);
    print!("{}", result.to_text(Language::new(Lang::En, &catalogue)));
    Ok(())
}
