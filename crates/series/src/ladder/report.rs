//! The report of a ladder.

use leitai_game::Lang;
use leitai_ladder::most_informative::{NeighbourGap, NeighbourState};
use serde_json::{Value, json};

use crate::Language;
use crate::ladder::Ladder;
use crate::report::standings::Standings;
use crate::report::words;
use crate::void_match::list_voids;

impl Ladder<'_> {
    /// The standings, the best rating first.
    pub fn standings(&self) -> Standings {
        Standings::from_games(&self.roster.entrant_names(), &[], self.games.iter()).by_rating()
    }

    /// The settled and open neighbours, void matches and the state of the order, below the
    /// standings.
    pub fn to_text(&self, language: Language<'_>) -> String {
        let names = &self.roster.entrant_names();
        let [settled, gaps] = self.count_gaps();
        let state = match (self.order.is_settled(), language.lang()) {
            (true, Lang::Zh) => format!(
                "名次已定（置信度 {}）",
                words::format_percent(self.precision.confidence)
            ),
            (false, Lang::Zh) => {
                format!("名次未定：{gaps} 对相邻名次中已定 {settled} 对；再次运行同一命令即可继续")
            }
            (true, Lang::En) => format!(
                "the order is settled at {}",
                words::format_percent(self.precision.confidence)
            ),
            (false, Lang::En) => {
                format!("not settled: {settled} of {gaps} neighbours are; the same command goes on")
            }
        };
        let gaps: String = self
            .order
            .gaps
            .iter()
            .map(|gap| gap_line(gap, names, language))
            .collect();
        let stale = match self.stale {
            0 => String::new(),
            count => format!(
                "; {count} {}",
                language.text(
                    "of bots that changed or left do not count",
                    "场属于已更改或移除的程序，不计入"
                )
            ),
        };
        let void = list_voids(
            self.voids.iter(),
            names,
            language.text(
                "the order rests on the other matches; the same command tries such pairs again, on other seeds",
                "名次仅基于其余对局；再次运行同一命令会用其他种子重赛",
            ),
            language,
        );
        format!(
            "{gaps}\n{void}{state}; {} {}{stale}\n",
            self.games.len(),
            language.text("matches", "场对局")
        )
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
            "confidence": self.precision.confidence,
            "equal_within": self.precision.equal_within,
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

/// `space > safe +210.3 Elo settled: better`. Where one side hardly ever lost, an error would say
/// nothing: such a gap is settled by how likely the results are, see
/// [`leitai_ladder::most_informative`].
fn gap_line(gap: &NeighbourGap, names: &[String], language: Language<'_>) -> String {
    let error = format!(" ± {:.1}", 1.96 * gap.difference.error);
    let (sign, error, word) = match gap.standing {
        NeighbourState::Better => (
            ">",
            String::new(),
            language.text("settled: better", "已定：更强"),
        ),
        NeighbourState::Equal => (
            "≈",
            error,
            language.text("settled: as good as equal", "已定：相当"),
        ),
        NeighbourState::Open => ("?", error, language.text("open", "未定")),
    };
    let (upper, lower) = (&names[gap.upper], &names[gap.lower]);
    format!(
        "  {upper} {sign} {lower}   {}{error} Elo   {word}\n",
        words::format_elo(gap.difference.value)
    )
}
