//! One self-contained page: charts, tables, faults, every match. No script, nothing fetched, light and dark.

use std::fmt::Write;

use leitai_game::clean::clean_line;
use leitai_ladder::Tally;
use leitai_ladder::tournament::{Met, Results, Stage};

use crate::batch::Game;
use crate::lang::t;
use crate::report::chart;
use crate::report::standings::{CONFIDENCE, Row, Standings};
use crate::report::{table, words};

const STYLE: &str = include_str!("style.css");
/// Most matches that are listed; the CSV has all.
const LISTED: usize = 2000;
/// Most players whose lines are drawn.
const LINES: usize = 12;

/// What the page is made of.
pub struct Page<'a> {
    /// Its title.
    pub title: String,
    /// A sentence below it: what was played, and how far it is.
    pub about: String,
    /// How everybody stands.
    pub standings: &'a Standings,
    /// Names by number of the entrant.
    pub names: &'a [String],
    /// Encounters of a knockout; none otherwise.
    pub bracket: Option<&'a Results>,
    /// Points of every player round by round, where there are rounds.
    pub rounds: Vec<(String, Vec<f64>)>,
    /// Every match with its place, in order.
    pub games: Vec<(String, &'a Game)>,
}

/// The page.
pub fn page(page: &Page<'_>) -> String {
    let language = t("en", "zh-CN");
    let title = escape(&page.title);
    let sections = [
        section(t("Strength", "实力"), strength(page)),
        section(t("Standings", "名次"), ranking(page.standings)),
        page.bracket
            .map_or(String::new(), |results| section(t("Bracket", "对阵"), bracket(results, page.names))),
        points(page),
        section(t("Who beat whom", "相互战绩"), crosstable(page.standings)),
        faults(page),
        times(page),
        matches(page),
    ];
    format!(
        "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"generator\" content=\"leitai {}\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><main><h1>{title}</h1><p class=\"lead soft\">{}</p>\n{}</main></body></html>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&page.about),
        sections.concat(),
    )
}

fn section(title: &str, body: String) -> String {
    format!("<section><h2>{}</h2><div class=\"card\">{body}</div></section>\n", escape(title))
}

fn strength(page: &Page<'_>) -> String {
    let how = t(
        "Elo against the field's average, by maximum likelihood (Bradley-Terry with draws); whiskers are 95 % intervals.",
        "相对平均水平的 Elo，由极大似然估计（带平局的 Bradley-Terry 模型）；横线为 95 % 置信区间。",
    );
    format!(
        "{}<p class=\"soft\">{how}</p>",
        chart::ratings(page.standings, t("Ratings with intervals", "评分与区间"))
    )
}

fn ranking(standings: &Standings) -> String {
    let heads = [
        ("n", "#"),
        ("name", t("entrant", "参赛者")),
        ("n", t("points", "积分")),
        ("n", t("won", "胜")),
        ("n", t("drawn", "平")),
        ("n", t("lost", "负")),
        ("n", "Elo"),
        ("n", t("95 % interval", "95 % 区间")),
        ("n", t("place by strength", "实力名次")),
        ("", t("faults", "违规")),
    ];
    let head: String =
        heads.iter().map(|(class, head)| format!("<th class=\"{class}\">{head}</th>")).collect();
    let rows: String = standings.rows.iter().enumerate().map(|(index, row)| ranked(index, row)).collect();
    format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

fn ranked(index: usize, row: &Row) -> String {
    let [best, worst] = row.places;
    let places = if best == worst { best.to_string() } else { format!("{best}–{worst}") };
    let faults = match row.faults.total() {
        0 => format!("<span class=\"soft\">{}</span>", row.faults.words()),
        _ => format!("<span class=\"fault\">{}</span>", escape(&row.faults.words())),
    };
    let Tally { wins, draws, losses } = row.tally;
    let cells = [
        row.place.unwrap_or(index + 1).to_string(),
        words::points(row.points),
        wins.to_string(),
        draws.to_string(),
        losses.to_string(),
        words::elo(row.rating.value),
        words::interval(row.rating.interval(CONFIDENCE)),
        places,
    ];
    let cell = |text: &String| format!("<td class=\"n\">{text}</td>");
    let [place, rest @ ..] = &cells;
    let numbers: String = rest.iter().map(cell).collect();
    format!("<tr>{}<td class=\"name\">{}</td>{numbers}<td>{faults}</td></tr>", cell(place), escape(&row.name))
}

fn points(page: &Page<'_>) -> String {
    if page.rounds.len() > LINES {
        return String::new();
    }
    let title = t("Points round by round", "逐轮积分");
    chart::progress(&page.rounds, title).map_or(String::new(), |svg| section(title, svg))
}

fn crosstable(standings: &Standings) -> String {
    let heads: String = standings.rows.iter().map(|row| format!("<th>{}</th>", escape(&row.name))).collect();
    let cell = |tally: &Tally| match tally.games() {
        0 => "<td class=\"soft\">·</td>".to_owned(),
        games => {
            let share = tally.points() / f64::from(games);
            let class = if share >= 0.5 { "won" } else { "lost" };
            let depth = (share - 0.5).abs() * 0.9;
            format!("<td class=\"{class}\" style=\"--a:{depth:.2}\">{}</td>", table::cell(tally))
        }
    };
    let row = |(row, cells): (&Row, &Vec<Tally>)| {
        format!(
            "<tr><td class=\"name\">{}</td>{}</tr>",
            escape(&row.name),
            cells.iter().map(cell).collect::<String>()
        )
    };
    let rows: String = standings.rows.iter().zip(&standings.cross).map(row).collect();
    let corner = t("won-drawn-lost", "胜-平-负");
    format!(
        "<table class=\"cross\"><thead><tr><th class=\"name\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn bracket(results: &Results, names: &[String]) -> String {
    let mut stages: Vec<(Stage, Vec<&Met>)> = Vec::new();
    for (key, met) in results {
        match stages.last_mut().filter(|(stage, _)| *stage == key.stage) {
            Some((_, all)) => all.push(met),
            None => stages.push((key.stage, vec![met])),
        }
    }
    let side = |met: &Met, index: usize| {
        let through = if met.winner() == met.pair[index] { " through" } else { "" };
        format!(
            "<div class=\"row{through}\"><span>{}</span><span>{}</span></div>",
            escape(&names[met.pair[index]]),
            words::points(met.points[index])
        )
    };
    let encounter = |met: &&Met| format!("<li class=\"met\">{}{}</li>", side(met, 0), side(met, 1));
    let column = |(stage, all): &&(Stage, Vec<&Met>)| {
        let met: String = all.iter().map(encounter).collect();
        format!("<ol><li class=\"stage\">{}</li>{met}</ol>", escape(&stage_name(*stage)))
    };
    let lost_once = |stage: Stage| matches!(stage, Stage::Losers(_));
    let half = |losers: bool| {
        let columns: String =
            stages.iter().filter(|(stage, _)| lost_once(*stage) == losers).map(|s| column(&s)).collect();
        if columns.is_empty() { columns } else { format!("<div class=\"bracket\">{columns}</div>") }
    };
    half(false) + &half(true)
}

/// A stage as people call it.
pub fn stage_name(stage: Stage) -> String {
    match (stage, t("en", "zh")) {
        (Stage::Round(round), "zh") => format!("第 {round} 轮"),
        (Stage::Winners(round), "zh") => format!("胜者组第 {round} 轮"),
        (Stage::Losers(round), "zh") => format!("败者组第 {round} 轮"),
        (Stage::Final, "zh") => "决赛".to_owned(),
        (Stage::Decider, "zh") => "加赛".to_owned(),
        (Stage::Round(round), _) => format!("round {round}"),
        (Stage::Winners(round), _) => format!("winners, round {round}"),
        (Stage::Losers(round), _) => format!("losers, round {round}"),
        (Stage::Final, _) => "final".to_owned(),
        (Stage::Decider, _) => "decider".to_owned(),
    }
}

fn faults(page: &Page<'_>) -> String {
    let mut rows = String::new();
    for (_, game) in &page.games {
        for fault in &game.faults {
            let replay = game.replay.as_deref().unwrap_or_default();
            let _ = write!(
                rows,
                "<tr><td class=\"name\">{}</td><td class=\"fault\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td><code>leitai replay show {} --leg {} --round {}</code></td></tr>",
                escape(&page.names[game.pair[fault.entrant.index()]]),
                escape(&fault.code),
                fault.leg,
                fault.round,
                escape(replay),
                fault.leg,
                fault.round,
            );
        }
    }
    if rows.is_empty() {
        let none = t("Nobody crashed, timed out or broke a rule.", "没有程序崩溃、超时或违规。");
        return section(t("Faults", "违规"), format!("<p class=\"soft\">{none}</p>"));
    }
    let head = [
        t("entrant", "参赛者"),
        t("fault", "违规"),
        t("leg", "局"),
        t("round", "回合"),
        t("look at it", "查看"),
    ];
    let head: String = head.iter().map(|head| format!("<th>{head}</th>")).collect();
    section(
        t("Faults", "违规"),
        format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"),
    )
}

fn times(page: &Page<'_>) -> String {
    let title = t("Time a move", "每步用时");
    let how = t(
        "Bars end at the median, whiskers at the 99th percentile; the axis is logarithmic.",
        "条形为中位数，横线至 99 百分位；对数坐标。",
    );
    chart::times(page.standings, title)
        .map_or(String::new(), |svg| section(title, format!("{svg}<p class=\"soft\">{how}</p>")))
}

fn matches(page: &Page<'_>) -> String {
    let row = |(place, game): &(String, &Game)| {
        let [a, b] = game.pair.map(|player| escape(&page.names[player]));
        let result = match game.score().halves() {
            2 => "1 : 0",
            1 => "½ : ½",
            _ => "0 : 1",
        };
        let legs: Vec<String> =
            game.legs.iter().map(|leg| format!("{} : {}", leg.scores[0], leg.scores[1])).collect();
        format!(
            "<tr><td>{}</td><td class=\"name\">{a}</td><td class=\"name\">{b}</td><td class=\"n\">{result}</td><td>{}</td>\
             <td class=\"n\">{}</td><td><code>{}</code></td></tr>",
            escape(place),
            legs.join(", "),
            game.seed,
            escape(game.replay.as_deref().unwrap_or_default()),
        )
    };
    let head = [
        t("match", "对局"),
        "A",
        "B",
        t("result", "结果"),
        t("legs", "各局"),
        t("seed", "种子"),
        t("replay", "回放"),
    ];
    let head: String = head.iter().map(|head| format!("<th>{head}</th>")).collect();
    let rows: String = page.games.iter().take(LISTED).map(row).collect();
    let summary = format!("{} {}", page.games.len(), t("matches", "场"));
    let table = format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>");
    section(t("Matches", "全部对局"), format!("<details><summary>{summary}</summary>{table}</details>"))
}

/// A text as it may stand in a page.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean_line(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_page() {
        assert_eq!(escape("<b a='1' b=\"2\">&"), "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;");
    }
}
