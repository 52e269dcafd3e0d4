//! Charts as inline SVG. Colours are variables of the page, so that they follow its theme; every
//! mark has its value as a tooltip and a name beside it, so that colour never carries meaning
//! alone.

use std::fmt::Write;

use crate::report::escape::escape_line;
use crate::report::standings::{CONFIDENCE, Standings};
use crate::report::words;
use crate::{Language, TimeHistogram};

/// Width of every chart; the page scales it down.
const WIDTH: f64 = 860.0;
/// The left edge of the drawing, right of the names.
const LEFT: f64 = 170.0;
/// The right edge of the drawing.
const RIGHT: f64 = 800.0;
/// Height of one line.
const LINE: f64 = 30.0;

/// Ratings with their intervals, the best on top.
pub fn ratings_chart(standings: &Standings, title: &str) -> String {
    let intervals: Vec<[f64; 2]> = standings
        .rows
        .iter()
        .map(|row| row.rating.confidence_interval(CONFIDENCE))
        .collect();
    let low = intervals.iter().map(|ends| ends[0]).fold(0.0, f64::min);
    let high = intervals.iter().map(|ends| ends[1]).fold(0.0, f64::max);
    let scale = ChartScale::linear_scale(low, high);
    let mut svg = open_svg(standings.rows.len(), title);
    draw_axis(&mut svg, &scale, standings.rows.len(), |value| {
        if value == 0.0 {
            "0".to_owned()
        } else {
            format!("{value:+.0}")
        }
    });
    for ((index, row), [low, high]) in standings.rows.iter().enumerate().zip(intervals) {
        let y = row_middle(index);
        let (x, from, to) = (
            scale.to_x(row.rating.value),
            scale.to_x(low),
            scale.to_x(high),
        );
        let tip = format!(
            "{}: {} {}",
            row.name,
            words::format_elo(row.elo()),
            words::format_interval(row.elo_interval())
        );
        draw_name(&mut svg, y, &row.name);
        let _ = write!(
            svg,
            r#"<g class="mark"><title>{}</title><path class="whisker" d="M{from:.1} {y}H{to:.1}M{from:.1} {}v12M{to:.1} {}v12"/><circle class="dot" cx="{x:.1}" cy="{y}" r="5.5"/></g>"#,
            escape_line(&tip),
            y - 6.0,
            y - 6.0,
        );
    }
    close_svg(svg)
}

/// Median and 99th percentile of the time of a move, on a logarithmic axis.
pub fn times_chart(standings: &Standings, title: &str, language: Language<'_>) -> Option<String> {
    let quantiles = |times: &TimeHistogram| {
        let micros = |share: f64| Some((times.quantile_micros(share)? as f64).max(1.0));
        Some([micros(0.5)?, micros(0.99)?])
    };
    let known: Vec<(usize, [f64; 2])> = standings
        .rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| Some((index, quantiles(&row.times)?)))
        .collect();
    let longest = known.iter().map(|(_, [_, p99])| *p99).fold(10.0, f64::max);
    let scale = ChartScale::log_scale(longest);
    let mut svg = open_svg(standings.rows.len(), title);
    let unit = |decade: f64| {
        leitai_judge::show_duration(std::time::Duration::from_micros(10f64.powf(decade) as u64))
    };
    draw_axis(&mut svg, &scale, standings.rows.len(), unit);
    for (index, [median, p99]) in &known {
        let (y, row) = (row_middle(*index), &standings.rows[*index]);
        let (from, to) = (scale.to_x(median.log10()), scale.to_x(p99.log10()));
        draw_name(&mut svg, y, &row.name);
        let _ = write!(
            svg,
            r#"<g class="mark"><title>{}</title><rect class="bar" x="{LEFT}" y="{}" width="{:.1}" height="12" rx="3"/><path class="whisker" d="M{from:.1} {y}H{to:.1}M{to:.1} {}v12"/></g>"#,
            escape_line(&format!(
                "{}: {}",
                row.name,
                words::format_times(&row.times, language)
            )),
            y - 6.0,
            (from - LEFT).max(2.0),
            y - 6.0,
        );
    }
    (!known.is_empty()).then(|| close_svg(svg))
}

/// Points after every round, one line for each player with the name at its end. `lines` has each
/// player's points round by round.
pub fn progress_chart(lines: &[(String, Vec<f64>)], title: &str) -> Option<String> {
    let (rounds, most) = chart_extent(lines)?;
    let (left, right, top, bottom) = (40.0, WIDTH - 170.0, 14.0, 300.0);
    let x = |round: usize| left + (right - left) * round as f64 / (rounds - 1) as f64;
    let y = |points: f64| bottom - (bottom - top) * points / most;
    let mut svg = format!(
        r#"<svg class="chart" viewBox="0 0 {WIDTH} 330" role="img" aria-label="{0}"><title>{0}</title>"#,
        escape_line(title)
    );
    for tick in choose_ticks(0.0, most) {
        let at = y(tick);
        let _ = write!(
            svg,
            r#"<path class="grid" d="M{left} {at:.1}H{right}"/><text class="tick" x="{}" y="{:.1}" text-anchor="end">{tick:.0}</text>"#,
            left - 8.0,
            at + 4.0
        );
    }
    for round in choose_ticks(1.0, rounds as f64)
        .into_iter()
        .filter(|round| round.fract() == 0.0 && *round >= 1.0)
    {
        let at = x(round as usize - 1);
        let _ = write!(
            svg,
            r#"<text class="tick" x="{at:.1}" y="{}" text-anchor="middle">{round:.0}</text>"#,
            bottom + 20.0
        );
    }
    for ((index, (player, points)), label) in lines.iter().enumerate().zip(spread_labels(lines, &y))
    {
        let path: Vec<String> = points
            .iter()
            .enumerate()
            .map(|(at, p)| format!("{:.1} {:.1}", x(at), y(*p)))
            .collect();
        let (end, last) = (
            points.len().max(1) - 1,
            points.last().copied().unwrap_or(0.0),
        );
        let _ = write!(
            svg,
            r#"<g class="mark series s{}"><title>{}</title><path class="line" d="M{}"/><circle class="end" cx="{:.1}" cy="{:.1}" r="4"/><path class="lead" d="M{:.1} {:.1}L{} {label:.1}"/><text class="name" x="{}" y="{:.1}">{} {}</text></g>"#,
            index % 8,
            escape_line(&format!("{player}: {}", words::format_points(last))),
            path.join("L"),
            x(end),
            y(last),
            x(end) + 5.0,
            y(last),
            right + 18.0,
            right + 22.0,
            label + 4.0,
            escape_line(&shorten_name(player)),
            words::format_points(last),
        );
    }
    Some(close_svg(svg))
}

/// The number of rounds, and the most points of a player; `None` if there is no second round.
fn chart_extent(lines: &[(String, Vec<f64>)]) -> Option<(usize, f64)> {
    let rounds = lines.iter().map(|(_, points)| points.len()).max();
    let most = lines
        .iter()
        .flat_map(|(_, points)| points)
        .fold(1.0f64, |most, points| most.max(*points));
    Some((rounds.filter(|rounds| *rounds > 1)?, most))
}

/// The positions of the names at the ends of lines, so that none covers another.
fn spread_labels(lines: &[(String, Vec<f64>)], y: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let end = |index: usize| y(lines[index].1.last().copied().unwrap_or(0.0));
    order.sort_by(|one, other| end(*one).total_cmp(&end(*other)));
    let mut places = vec![0.0; lines.len()];
    let mut free = 10.0;
    for index in order {
        places[index] = end(index).max(free);
        free = places[index] + 17.0;
    }
    let over = (free - 17.0 - 312.0).max(0.0);
    places.iter_mut().for_each(|place| *place -= over);
    places
}

/// Maps values to positions on the page.
struct ChartScale {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl ChartScale {
    fn linear_scale(low: f64, high: f64) -> ChartScale {
        let margin = (high - low).max(1.0) * 0.03;
        ChartScale {
            low: low - margin,
            high: high + margin,
            ticks: choose_ticks(low, high),
        }
    }

    /// Powers of ten in microseconds, up to the one above the longest time.
    fn log_scale(longest: f64) -> ChartScale {
        let high = longest.log10().ceil().max(1.0);
        ChartScale {
            low: 0.0,
            high,
            ticks: (0..=high as u32).map(f64::from).collect(),
        }
    }

    fn to_x(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        LEFT + (RIGHT - LEFT) * share
    }
}

/// About six round numbers between two.
fn choose_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = ((high - low) / 6.0).max(1e-6);
    let unit = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|many| many * unit)
        .find(|step| *step >= rough)
        .unwrap_or(unit);
    let first = (low / step).ceil() as i64;
    (first..)
        .map(|index| index as f64 * step)
        .take_while(|tick| *tick <= high + step * 1e-9)
        .collect()
}

fn open_svg(lines: usize, title: &str) -> String {
    let height = lines as f64 * LINE + 34.0;
    format!(
        r#"<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{0}"><title>{0}</title>"#,
        escape_line(title)
    )
}

fn close_svg(mut svg: String) -> String {
    svg.push_str("</svg>");
    svg
}

fn draw_axis(svg: &mut String, scale: &ChartScale, lines: usize, label: impl Fn(f64) -> String) {
    let bottom = lines as f64 * LINE + 8.0;
    for tick in &scale.ticks {
        let x = scale.to_x(*tick);
        let class = if *tick == 0.0 { "grid zero" } else { "grid" };
        let _ = write!(
            svg,
            r#"<path class="{class}" d="M{x:.1} 4V{bottom}"/><text class="tick" x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
            bottom + 18.0,
            escape_line(&label(*tick))
        );
    }
}

fn row_middle(index: usize) -> f64 {
    index as f64 * LINE + 20.0
}

fn draw_name(svg: &mut String, y: f64, text: &str) {
    let _ = write!(
        svg,
        r#"<text class="name" x="{}" y="{}" text-anchor="end">{}</text>"#,
        LEFT - 14.0,
        y + 5.0,
        escape_line(&shorten_name(text))
    );
}

/// A name shortened for a chart.
fn shorten_name(name: &str) -> String {
    match name.chars().count() {
        0..=18 => name.to_owned(),
        _ => name.chars().take(17).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let check = |low: f64, high: f64, expected: &[f64]| {
            assert_eq!(choose_ticks(low, high), expected, "{low} {high}")
        };
        check(0.0, 12.0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        check(-310.0, 280.0, &[-300.0, -200.0, -100.0, 0.0, 100.0, 200.0]);
        check(0.0, 1.0, &[0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
    }

    #[test]
    fn names_at_the_ends_do_not_cover_each_other() {
        let lines: Vec<(String, Vec<f64>)> = (0..5)
            .map(|index| (format!("p{index}"), vec![0.0, 3.0]))
            .collect();
        let mut places = spread_labels(&lines, &|points| 300.0 - 10.0 * points);
        places.sort_by(f64::total_cmp);
        assert!(
            places.windows(2).all(|pair| pair[1] - pair[0] >= 16.9),
            "{places:?}"
        );
        assert!(
            places.last().is_some_and(|last| *last <= 312.0),
            "{places:?}"
        );
    }
}
