//! A match in words: at most [`MOST_LINES`] lines that say what went wrong.

use std::collections::BTreeMap;

use leitai_game::clean_text::clean_line;
use leitai_game::lang::{Catalogue, Localizer};
use leitai_game::{Entrant, Seat, Text};
use serde_json::{Value, json};

use crate::analysis::MatchAnalysis;
use crate::decision::Decision;
use crate::figures::FigureOfLeg;
use crate::grade::{AS_GOOD_BELOW, Grade, GradeCounts};
use crate::leg::{LegAnalysis, SideAnalysis};
use crate::time_use::TimeUse;
use crate::way_of_losing::{LostLeg, Phase, WayOfLosing};

/// The most lines of a digest.
pub const MOST_LINES: usize = 30;
/// Actions of a best line that are shown.
const SHOWN_LINE: usize = 5;
/// Figures that explain a loss.
const SHOWN_FIGURES: usize = 3;
/// The longest action that is shown in full.
const SHOWN_ACTION: usize = 60;

/// The digest of a match, with a newline after every line.
pub fn write_digest(analysis: &MatchAnalysis, lang: Localizer<'_>) -> String {
    let words = Words::new(analysis, lang);
    let mut lines = words.describe_match(analysis);
    let legs = analysis.legs.len();
    let room = MOST_LINES - lines.len();
    // The last line says what is left out.
    let shown = if legs > room { room - 1 } else { legs };
    let each = room / shown.max(1);
    for leg in &analysis.legs[..shown] {
        let mut told = words.describe_leg(leg);
        told.truncate(each.max(1));
        lines.extend(told);
    }
    if shown < legs {
        lines.push(lang.fill("… and {} more legs: --leg N shows one", &[&(legs - shown)]));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The analysis as JSON with its digest in both languages, as pages show it.
pub fn write_with_digest(analysis: &MatchAnalysis, catalogue: &Catalogue) -> Value {
    let mut value = serde_json::to_value(analysis).expect("an analysis is plain data");
    value["digest"] = json!(catalogue.write_both(|lang| write_digest(analysis, lang)));
    value
}

/// Every decision in one line, with a newline after each.
pub fn list_decisions(analysis: &MatchAnalysis, lang: Localizer<'_>) -> String {
    let words = Words::new(analysis, lang);
    let mut text = String::new();
    for leg in &analysis.legs {
        text.push_str(&lang.fill("leg {}:", &[&leg.leg]));
        text.push('\n');
        for one in &leg.decisions {
            let name = &words.names[one.entrant];
            let grade = words.name_grade(one);
            let moves = words.compare_moves(one);
            text.push_str(&format!("{:>5}  {name}  {grade}  {moves}\n", one.round));
        }
    }
    text
}

/// A way of losing in a few words.
pub fn way_words(lang: Localizer<'_>, way: WayOfLosing) -> &'static str {
    match way {
        WayOfLosing::Fault => lang.label("lost by a fault"),
        WayOfLosing::OnlyMoveMissed => lang.label("missed the only move that held"),
        WayOfLosing::Blunder => lang.label("one blunder decided"),
        WayOfLosing::SmallLosses => lang.label("many small losses added up"),
        WayOfLosing::Unforeseen => lang.label("decided by what it could not see"),
        WayOfLosing::Outplayed => lang.label("outplayed without a clear error"),
    }
}

/// A phase in a word.
pub fn phase_word(lang: Localizer<'_>, phase: Phase) -> &'static str {
    match phase {
        Phase::Opening => lang.label("opening"),
        Phase::Middle => lang.label("middle"),
        Phase::Ending => lang.label("ending"),
    }
}

/// A grade in a word.
pub fn grade_word(lang: Localizer<'_>, grade: Grade) -> &'static str {
    match grade {
        Grade::Best => lang.label("best"),
        Grade::Good => lang.label("good"),
        Grade::Inaccuracy => lang.label("inaccuracy"),
        Grade::Mistake => lang.label("mistake"),
        Grade::Blunder => lang.label("blunder"),
    }
}

struct Words<'c> {
    lang: Localizer<'c>,
    names: leitai_game::ByEntrant<String>,
    actions: &'c BTreeMap<&'static str, Text>,
}

impl<'c> Words<'c> {
    fn new(analysis: &'c MatchAnalysis, lang: Localizer<'c>) -> Self {
        let names = analysis.entrants.each_ref();
        Words {
            lang,
            names: names.map_values(|name| clean_line(name).into_owned()),
            actions: &analysis.action_names,
        }
    }

    /// An action as people read it; without a name as programs write it.
    fn name_action(&self, action: &str) -> String {
        match self.actions.get(action) {
            Some(name) => self.lang.pick(*name).to_owned(),
            None => cut(action),
        }
    }

    /// What a decision is called, as on the page.
    fn name_grade(&self, one: &Decision) -> &'static str {
        if is_as_good(one) && one.played != one.best {
            return self.lang.label("as good as the best");
        }
        grade_word(self.lang, one.grade)
    }

    fn describe_match(&self, analysis: &MatchAnalysis) -> Vec<String> {
        let (a, b) = (&self.names[Entrant::A], &self.names[Entrant::B]);
        let head = self.lang.fill(
            "{}: {} (A) against {} (B), {} nodes a decision",
            &[&analysis.game, a, b, &analysis.budget],
        );
        let winner = analysis.verdict.as_ref().map(|verdict| verdict.winner);
        let verdict = match winner {
            Some(Some(winner)) => self.lang.fill("{} won the match", &[&self.names[winner]]),
            Some(None) => self.lang.label("the match was drawn").to_owned(),
            None => self.lang.label("the match was not finished").to_owned(),
        };
        vec![head, verdict]
    }

    /// The most important line first.
    fn describe_leg(&self, leg: &LegAnalysis) -> Vec<String> {
        let sides = Seat::BOTH
            .into_iter()
            .filter_map(|seat| leg.sides[seat].as_ref());
        let mut sides: Vec<&SideAnalysis> = sides.collect();
        sides.sort_by_key(|side| side.lost.is_none());
        let mut lines = vec![self.describe_result(leg)];
        for side in &sides {
            lines.extend(self.describe_loss(leg, side));
            lines.extend(self.explain_loss(leg, side));
        }
        lines.extend(sides.iter().map(|side| self.describe_grades(side)));
        for side in &sides {
            lines.extend(self.describe_moments(leg, side));
        }
        let times = sides.iter().filter_map(|side| Some((side, side.time?)));
        lines.extend(times.map(|(side, time)| self.describe_time(side, time)));
        lines
    }

    fn describe_result(&self, leg: &LegAnalysis) -> String {
        let rounds = leg.rounds;
        let Some(outcome) = &leg.outcome else {
            return self
                .lang
                .fill("leg {}: interrupted in round {}", &[&leg.leg, &rounds]);
        };
        let (first, second) = (outcome.scores[Seat::First], outcome.scores[Seat::Second]);
        match outcome.winner {
            Some(seat) => {
                let winner = &self.names[seat.entrant_in_leg(leg.leg - 1)];
                let score = match seat {
                    Seat::First => format!("{first} : {second}"),
                    Seat::Second => format!("{second} : {first}"),
                };
                self.lang.fill(
                    "leg {}: {} won {} in round {}",
                    &[&leg.leg, winner, &score, &rounds],
                )
            }
            None => {
                let score = format!("{first} : {second}");
                self.lang
                    .fill("leg {}: drawn {} in round {}", &[&leg.leg, &score, &rounds])
            }
        }
    }

    /// Why a side lost, and when it could still hold.
    fn describe_loss(&self, leg: &LegAnalysis, side: &SideAnalysis) -> Vec<String> {
        let Some(LostLeg {
            way,
            phase,
            decision,
            ..
        }) = side.lost
        else {
            return Vec::new();
        };
        let name = &self.names[side.entrant];
        let why = way_words(self.lang, way);
        let when = phase_word(self.lang, phase);
        let mut lines = vec![self.lang.fill("  {}: {} ({})", &[name, &why, &when])];
        if let Some(one) = decision.map(|index| &leg.decisions[index]) {
            lines.push(format!("  {}", self.describe_decision(one)));
        }
        if let Some(held) = side.last_held.filter(|held| Some(*held) != decision) {
            let one = &leg.decisions[held];
            let moves = self.compare_moves(one);
            lines.push(
                self.lang
                    .fill("  last moment to hold: round {}, {}", &[&one.round, &moves]),
            );
        } else if let Some(held) = side.last_held {
            let round = leg.decisions[held].round;
            lines.push(
                self.lang
                    .fill("  that was the last moment to hold (round {})", &[&round]),
            );
        }
        if let Some(forced) = side.forced_loss {
            lines.push(self.lang.fill(
                "  from round {} on lost in {} whatever it did",
                &[&forced.round, &forced.rounds],
            ));
        }
        lines
    }

    /// What a loss without a decisive move came from: where the value went, what the other side did
    /// and this one did not, what to try first.
    fn explain_loss(&self, leg: &LegAnalysis, side: &SideAnalysis) -> Vec<String> {
        let Some(lost) = side.lost.filter(LostLeg::is_gradual) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        if let Some(slip) = lost.slip {
            let percent = |value: f64| format!("{:.0}%", 100.0 * value);
            let values: [&dyn std::fmt::Display; 5] = [
                &slip.from_round,
                &slip.to_round,
                &percent(slip.from),
                &percent(slip.to),
                &slip.steps,
            ];
            lines.push(self.lang.fill(
                "  most of it went in rounds {}–{}: {} → {}, in {} small steps",
                &values,
            ));
        }
        let seat = side.entrant.seat_in_leg(leg.leg - 1);
        let mut figures: Vec<&FigureOfLeg> = leg.figures.iter().collect();
        figures.sort_by(|a, b| b.points_behind(seat).total_cmp(&a.points_behind(seat)));
        for figure in figures.into_iter().take(SHOWN_FIGURES) {
            let shown = |value: f64| match value {
                value if value < 9.95 && value.fract() != 0.0 => format!("{value:.1}"),
                value => format!("{value:.0}"),
            };
            let values: [&dyn std::fmt::Display; 4] = [
                &self.lang.pick(figure.info.name),
                &shown(figure.whole[seat][0]),
                &shown(figure.whole[seat.other()][0]),
                &shown(figure.strong()),
            ];
            lines.push(
                self.lang
                    .fill("  {}: {}, the other side {}, a strong bot {}", &values),
            );
        }
        if let Some(lack) = lost.lack {
            let advice = self.lang.pick(leg.figures[lack].info.advice);
            lines.push(self.lang.fill("  try first: {}", &[&advice]));
        }
        lines
    }

    fn describe_decision(&self, one: &Decision) -> String {
        let grade = self.name_grade(one);
        let moves = self.compare_moves(one);
        let mut text = self
            .lang
            .fill("round {}: {}, {}", &[&one.round, &grade, &moves]);
        if one.line.len() > 1 {
            let shown = one.line.iter().take(SHOWN_LINE);
            let line: Vec<String> = shown.map(|action| self.name_action(action)).collect();
            let line = cut(&line.join(" "));
            text.push_str(&self.lang.fill("; best line {}", &[&line]));
        }
        text
    }

    /// `played 3 (31%), best 1 (52%)`, and what is proven.
    fn compare_moves(&self, one: &Decision) -> String {
        let percent = |value: f64| format!("{:.0}%", 100.0 * value);
        // Nineteen of twenty lie within two standard errors.
        let sure = |value: f64, spread: Option<f64>| match spread {
            Some(spread) => format!("{} ± {}", percent(value), percent(2.0 * spread)),
            None => percent(value),
        };
        let after = sure(one.after, one.spread.map(|spread| spread.after));
        let before = sure(one.before, one.spread.map(|spread| spread.before));
        let (played, best) = (self.name_action(&one.played), self.name_action(&one.best));
        let mut text = if one.played == one.best {
            self.lang
                .fill("played the best move {} ({})", &[&played, &after])
        } else if is_as_good(one) {
            self.lang.fill("played {} ({})", &[&played, &after])
        } else {
            let values: [&dyn std::fmt::Display; 4] = [&played, &after, &best, &before];
            self.lang.fill("played {} ({}), best {} ({})", &values)
        };
        if let Some(truth) = &one.truth
            && (truth.before - one.before).abs() >= 0.1
        {
            let values: [&dyn std::fmt::Display; 2] =
                [&percent(truth.after), &percent(truth.before)];
            text.push_str(&self.lang.fill("; in truth {} of {}", &values));
        }
        text
    }

    fn describe_grades(&self, side: &SideAnalysis) -> String {
        let name = &self.names[side.entrant];
        let accuracy = match side.accuracy {
            Some(accuracy) => format!("{accuracy:.1}%"),
            None => "–".to_owned(),
        };
        let GradeCounts {
            inaccuracy,
            mistake,
            blunder,
            ..
        } = side.grades;
        let counts = [
            self.lang.fill_count("{} blunder", "{} blunders", blunder),
            self.lang.fill_count("{} mistake", "{} mistakes", mistake),
            self.lang
                .fill_count("{} inaccuracy", "{} inaccuracies", inaccuracy),
        ];
        let counts = counts.join(self.lang.label(", "));
        let values: [&dyn std::fmt::Display; 4] = [name, &accuracy, &side.decisions, &counts];
        self.lang
            .fill("  {}: accuracy {} (decisions: {}), {}", &values)
    }

    /// Only moves that were missed, and the worst decision of a side that did not lose.
    fn describe_moments(&self, leg: &LegAnalysis, side: &SideAnalysis) -> Vec<String> {
        let name = &self.names[side.entrant];
        let mut lines = Vec::new();
        if !side.only_moves_missed.is_empty() {
            let rounds = side.only_moves_missed.iter().take(8);
            let rounds: Vec<String> = rounds
                .map(|index| leg.decisions[*index].round.to_string())
                .collect();
            let values: [&dyn std::fmt::Display; 3] =
                [name, &side.only_moves_missed.len(), &rounds.join(", ")];
            lines.push(
                self.lang
                    .fill("  {}: only moves missed: {} (rounds {})", &values),
            );
        }
        let worst = side.worst.map(|index| &leg.decisions[index]);
        if let Some(one) = worst.filter(|one| side.lost.is_none() && one.grade >= Grade::Mistake) {
            let told = self.describe_decision(one);
            lines.push(self.lang.fill("  {}: worst in {}", &[name, &told]));
        }
        lines
    }

    fn describe_time(&self, side: &SideAnalysis, time: TimeUse) -> String {
        let name = &self.names[side.entrant];
        let wasted = format!("{:.0}%", 100.0 * time.wasted_share());
        let values: [&dyn std::fmt::Display; 5] = [
            name,
            &duration(time.total_us),
            &duration(time.longest_us),
            &time.longest_round,
            &wasted,
        ];
        self.lang.fill(
            "  {}: {} of time, the longest reply {} (round {}), {} where nothing could change",
            &values,
        )
    }
}

/// Whether nothing that is surely better than what was played is known.
fn is_as_good(one: &Decision) -> bool {
    one.fault.is_none() && one.loss < AS_GOOD_BELOW
}

/// `1.23 s`, `4.5 ms`, `12 µs`.
fn duration(us: u64) -> String {
    match us {
        0..1000 => format!("{us} µs"),
        1000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.2} s", us as f64 / 1e6),
    }
}

/// An action of a stranger, made safe and not too long.
fn cut(action: &str) -> String {
    let clean = clean_line(action);
    match clean.char_indices().nth(SHOWN_ACTION) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean.into_owned(),
    }
}
