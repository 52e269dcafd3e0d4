//! The result of a benchmark for people.

use leitai_server::experiments::benchmark_file::ResultFile;

use crate::prelude::*;

/// A result in words.
pub fn describe(lang: Localizer, result: &ResultFile, out: &Path) -> String {
    let [low, high] = result.rating_interval;
    let [rating, low, high] = [result.rating, low, high].map(|elo| format!("{elo:.0}"));
    let values: [&dyn std::fmt::Display; 5] =
        [&rating, &low, &high, &result.scale, &result.games_played];
    let mut text = lang.fill("rating {} [{}, {}] on the scale {}, from {} games", &values) + "\n";
    if !result.is_network_closed {
        text += &format!(
            "{}\n",
            lang.label("without isolation: the bot could use the network")
        );
    }
    text + &lang.fill("the result is in {}", &[&out.display()]) + "\n"
}
