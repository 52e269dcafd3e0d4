//! The report of a ladder.

use leitai_ladder::most_informative::{NeighbourGap, NeighbourState};
use serde_json::{Value, json};

use crate::ladder::Ladder;
use crate::report::standings::Standings;
use crate::report::words;
use crate::void_match::list_voids;
use crate::{EloUnit, Language};

impl Ladder<'_> {
    /// The standings, the best rating first.
    pub fn standings(&self) -> Standings {
        Standings::from_games(
            &self.roster.entrant_names(),
            &[],
            self.games.iter(),
            self.elo,
        )
        .by_rating()
    }

    /// The settled and open neighbours, void matches and the state of the order, below the
    /// standings.
    pub fn to_text(&self, language: Language<'_>) -> String {
        let names = &self.roster.entrant_names();
        let [settled, gaps] = self.count_gaps();
        let confidence = words::format_percent(self.precision.confidence);
        let state = match self.order.is_settled() {
            true => language.fill("the order is settled at {}", &[&confidence]),
            false if self.has_no_new_games() => language.fill(
                "not settled ({} of {} neighbour pairs are), and no match brings a new game; {}",
                &[&settled, &gaps, &self.distinct.describe_scarcity(language)],
            ),
            false => language.fill(
                "not settled ({} of {} neighbour pairs are); run it again to continue",
                &[&settled, &gaps],
            ),
        };
        let gaps: String = self
            .order
            .gaps
            .iter()
            .map(|gap| gap_line(gap, names, self.elo, language))
            .collect();
        let stale = match self.stale {
            0 => String::new(),
            count => language.fill_count(
                "; {} of a bot that changed or left does not count",
                "; {} of bots that changed or left do not count",
                count,
            ),
        };
        let void = list_voids(
            self.voids.iter(),
            names,
            language.label(
                "the order rests on the other matches; the same command plays these pairs again, \
                with other seeds",
            ),
            language,
        );
        let matches = language.fill_count("; {} match", "; {} matches", self.games.len());
        let copies = match self.standings().describe_copies(language) {
            copies if copies.is_empty() => copies,
            copies => format!("{copies}\n"),
        };
        let settings = self.roster.terms_lines(language);
        let settings: String = (self.standings().describe_payoffs(language).into_iter())
            .chain(settings)
            .map(|line| line + "\n")
            .collect();
        format!("{gaps}\n{void}{copies}{settings}{state}{matches}{stale}\n")
    }

    /// The report for programs.
    pub fn to_json(&self) -> Value {
        let roster = self.roster;
        let names = roster.entrant_names();
        let gap = |gap: &NeighbourGap| {
            json!({
                "upper": names[gap.upper], "lower": names[gap.lower],
                "elo": gap.difference.value, "elo_error": gap.difference.error,
                "standing": standing_word(gap.standing),
            })
        };
        json!({
            "game": roster.game_id(),
            "terms": roster.match_terms(),
            "settled": self.order.is_settled(),
            "status": match self.order.is_settled() {
                true => "settled",
                false if self.has_no_new_games() => "no-new-games",
                false => "open",
            },
            "confidence": self.precision.confidence,
            "equal_within": self.precision.equal_within,
            "elo_unit": self.elo,
            "matches": self.games.len(),
            "void": self.voids,
            "neighbours": self.order.gaps.iter().map(gap).collect::<Vec<_>>(),
            "standings": self.standings().to_json(),
        })
    }
}

fn standing_word(standing: NeighbourState) -> &'static str {
    match standing {
        NeighbourState::Better => "better",
        NeighbourState::Equal => "equal",
        NeighbourState::Open => "open",
    }
}

/// `space > safe +210.3 Elo per leg settled: better`. If a side hardly ever lost, an error would not be
/// meaningful: such a gap is settled by the likelihood of the results, see
/// [`leitai_ladder::most_informative`].
fn gap_line(gap: &NeighbourGap, names: &[String], unit: EloUnit, language: Language<'_>) -> String {
    let error = format!(" ± {:.1}", 1.96 * gap.difference.error);
    let (sign, error, word) = match gap.standing {
        NeighbourState::Better => (">", String::new(), language.label("settled: better")),
        NeighbourState::Equal => ("≈", error, language.label("settled: as good as equal")),
        NeighbourState::Open => ("?", error, language.label("open")),
    };
    let (upper, lower) = (&names[gap.upper], &names[gap.lower]);
    format!(
        "  {upper} {sign} {lower}   {}{error} {}   {word}\n",
        words::format_elo(gap.difference.value),
        unit.heading(language),
    )
}
