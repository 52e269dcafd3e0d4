//! `leitai doctor`

use leitai_judge::build::Tool;
use leitai_sandbox::doctor::{MachineFact, list_facts};
use leitai_sandbox::{Sandbox, Tier, TierOffer};
use leitai_series::columns;
use leitai_server::http::page::{MISSING, WHOLE_PAGE, has_engine};

use crate::cli::DoctorArgs;
use crate::isolation::THIS_BINARY;
use crate::prelude::*;
use crate::width::wrap_sentence;

/// The tools that build and run programs.
const TOOLS: [Tool; 8] = [
    Tool::CXX,
    Tool::CC,
    Tool::MAKE,
    Tool::CMAKE,
    Tool::PYTHON,
    Tool::JAVA,
    Tool::NODE,
    Tool::RUSTC,
];

/// Shows the isolation of this machine; succeeds if untrusted programs may run on it.
pub fn run(lang: Localizer, args: &DoctorArgs) -> Result<ExitCode> {
    let binary = std::env::current_exe().unwrap_or_default();
    let (facts, offers) = (
        list_facts(&binary),
        Sandbox::list_offers(Path::new(THIS_BINARY)),
    );
    match args.json {
        true => print_stdout(&format!("{}\n", as_json(&facts, &offers)))?,
        false => print_stdout(&as_text(lang, &facts, &offers))?,
    }
    let safe = offers
        .iter()
        .any(|offer| offer.tier.holds_strangers() && offer.works.is_ok());
    Ok(if safe {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn as_text(lang: Localizer, facts: &[MachineFact], offers: &[TierOffer]) -> String {
    let mut lines = vec![lang.label("Isolation, the best first").to_owned()];
    lines.extend(offers.iter().map(|offer| {
        let (mark, why) = match &offer.works {
            Ok(()) => ("✓", String::new()),
            Err(why) => (
                "✗",
                format!("\n             {}", wrap_sentence(&lang.say(why), 13)),
            ),
        };
        let about = wrap_sentence(describe_tier(lang, offer.tier), 11);
        format!("  {mark} {:<6} {about}{why}", offer.tier.to_string())
    }));
    lines.push(format!("\n{}", lang.label("What this depends on")));
    lines.extend(facts.iter().map(|fact| fact_text(lang, fact)));
    lines.push(format!("\n{}", lang.label("Compilers and interpreters")));
    lines.extend(
        TOOLS
            .iter()
            .map(|tool| match (tool.find_command(), tool.find_usable()) {
                (Ok(file), Ok(_)) => format!("  ✓ {:<8} {}", tool.name, file.to_string_lossy()),
                (Ok(_), Err(error)) => {
                    format!(
                        "  ✗ {:<8} {}",
                        tool.name,
                        wrap_sentence(&lang.say(&error.to_string()), 13)
                    )
                }
                (Err(_), _) => format!("  - {:<8} apt-get install {}", tool.name, tool.package),
            }),
    );
    lines.push(format!("\n{}", lang.label("Parts of this program")));
    lines.extend(
        list_parts(MISSING, has_engine())
            .iter()
            .map(|part| part_text(lang, part)),
    );
    lines.push(format!("\n{}\n", write_conclusion(lang, offers)));
    lines.join("\n")
}

/// A part of the program that a build can leave out.
struct BuiltPart {
    name: &'static str,
    /// Why it is missing, if it is.
    missing: Option<String>,
}

/// The page of an arena and its engine; `page` is why the page is missing.
fn list_parts(page: Option<&str>, engine: bool) -> [BuiltPart; 2] {
    let no_engine = page.is_some() || !engine;
    [
        BuiltPart {
            name: "page",
            missing: page.map(str::to_owned),
        },
        BuiltPart {
            name: "engine",
            missing: no_engine
                .then(|| "the page does not analyse, play on from a position or verify".to_owned()),
        },
    ]
}

fn part_text(lang: Localizer, part: &BuiltPart) -> String {
    let (mark, text) = match &part.missing {
        None => ("✓", lang.label("built in").to_owned()),
        Some(why) => (
            "-",
            lang.fill(
                "not built in ({}); with Node.js 20.19 or newer: {}",
                &[&lang.say(why), &WHOLE_PAGE],
            ),
        ),
    };
    format!("  {mark} {:<8} {}", part.name, wrap_sentence(&text, 13))
}

fn fact_text(lang: Localizer, fact: &MachineFact) -> String {
    let (mark, text) = match &fact.found {
        Ok(text) => ("✓", text),
        Err(text) => ("✗", text),
    };
    let remedy = |remedy: &String| {
        let text = format!("{} {}", lang.label("fix:"), lang.say(remedy));
        format!("\n      {}", wrap_sentence(&text, 6))
    };
    let remedy = fact.remedy.as_ref().map(remedy);
    format!(
        "  {mark} {} {}{}",
        columns::pad(&lang.say(fact.name), 22),
        wrap_sentence(&lang.say(text), 27),
        remedy.unwrap_or_default()
    )
}

fn describe_tier(lang: Localizer, tier: Tier) -> &'static str {
    match tier {
        Tier::A => lang.label(
            "namespaces, system-call filter, memory bounded exactly: for anybody's programs",
        ),
        Tier::B => lang.label(
            "the same, memory watched up to 250 times a second: for anybody's programs, with care",
        ),
        Tier::C => lang.label("Landlock, system-call filter, limits: for programs of your own"),
        Tier::None => lang.label("limits only, and only with --isolation none"),
    }
}

fn write_conclusion(lang: Localizer, offers: &[TierOffer]) -> String {
    let best = offers
        .iter()
        .find(|offer| offer.works.is_ok())
        .map_or(Tier::None, |offer| offer.tier);
    match best {
        Tier::None => lang
            .label("This machine refuses programs unless you pass --isolation none.")
            .to_owned(),
        tier => lang.fill("Programs run in tier {}.", &[&tier]),
    }
}

fn as_json(facts: &[MachineFact], offers: &[TierOffer]) -> Value {
    let offers = offers.iter().map(|offer| {
        json!({ "tier": offer.tier, "works": offer.works.is_ok(), "why": offer.works.as_ref().err() })
    });
    let facts = facts.iter().map(|fact| {
        let text = fact.found.as_ref().unwrap_or_else(|text| text);
        json!({ "name": fact.name, "good": fact.found.is_ok(), "found": text, "remedy": fact.remedy })
    });
    let tools = TOOLS.iter().map(|tool| {
        let file = tool
            .find_command()
            .ok()
            .filter(|_| tool.find_usable().is_ok());
        let file = file.map(|file| file.to_string_lossy().into_owned());
        json!({ "name": tool.name, "file": file, "package": tool.package })
    });
    json!({
        "tiers": offers.collect::<Vec<_>>(),
        "facts": facts.collect::<Vec<_>>(),
        "tools": tools.collect::<Vec<_>>(),
        "parts": list_parts(MISSING, has_engine()).map(|part| {
            json!({ "name": part.name, "built_in": part.missing.is_none(), "why": part.missing })
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::english;

    #[test]
    fn parts_that_the_build_left_out_are_listed_with_the_way_to_them() {
        let check = |page: Option<&str>, engine: bool, expected: [&str; 2]| {
            let parts = list_parts(page, engine).map(|part| part_text(english(), &part));
            for (part, expected) in parts.iter().zip(expected) {
                let words = part.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(words.starts_with(expected), "{words}");
                assert_eq!(
                    words.contains("./dev engine"),
                    words.starts_with('-'),
                    "{words}"
                );
            }
        };
        check(None, true, ["✓ page built in", "✓ engine built in"]);
        let engine = "- engine not built in (the page does not analyse";
        check(None, false, ["✓ page built in", engine]);
        check(
            Some("no node"),
            false,
            ["- page not built in (no node);", engine],
        );
    }
}
