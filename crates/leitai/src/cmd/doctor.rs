//! `leitai doctor`

use std::path::Path;
use std::process::ExitCode;

use leitai_judge::build::tool_runner::Tool;
use leitai_sandbox::doctor::{MachineFact, list_facts};
use leitai_sandbox::{Sandbox, Tier, TierOffer};
use serde_json::{Value, json};

use crate::cli::DoctorArgs;
use crate::files::print_stdout;
use crate::isolation::THIS_BINARY;
use crate::lang::{say, translate};
use crate::width::wrap_sentence;

/// Tools that programs are built and run with.
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

/// Shows what this machine offers; succeeds if programs of strangers may run on it.
pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let binary = std::env::current_exe().unwrap_or_default();
    let (facts, offers) = (
        list_facts(&binary),
        Sandbox::list_offers(Path::new(THIS_BINARY)),
    );
    match args.json {
        true => print_stdout(&format!("{}\n", as_json(&facts, &offers)))?,
        false => print_stdout(&as_text(&facts, &offers))?,
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

fn as_text(facts: &[MachineFact], offers: &[TierOffer]) -> String {
    let mut lines = vec![translate("Isolation, the best first", "隔离等级（由强到弱）").to_owned()];
    lines.extend(offers.iter().map(|offer| {
        let (mark, why) = match &offer.works {
            Ok(()) => ("✓", String::new()),
            Err(why) => (
                "✗",
                format!("\n             {}", wrap_sentence(&say(why), 13)),
            ),
        };
        let about = wrap_sentence(describe_tier(offer.tier), 11);
        format!("  {mark} {:<6} {about}{why}", offer.tier.to_string())
    }));
    lines.push(format!("\n{}", translate("What it rests on", "依据")));
    lines.extend(facts.iter().map(fact_text));
    lines.push(format!(
        "\n{}",
        translate("Compilers and interpreters", "编译器与解释器")
    ));
    lines.extend(
        TOOLS
            .iter()
            .map(|tool| match (tool.find_command(), tool.find_usable()) {
                (Ok(file), Ok(_)) => format!("  ✓ {:<8} {}", tool.name, file.to_string_lossy()),
                (Ok(_), Err(error)) => {
                    format!(
                        "  ✗ {:<8} {}",
                        tool.name,
                        wrap_sentence(&say(&error.to_string()), 13)
                    )
                }
                (Err(_), _) => format!("  - {:<8} apt-get install {}", tool.name, tool.package),
            }),
    );
    lines.push(format!("\n{}\n", write_conclusion(offers)));
    lines.join("\n")
}

fn fact_text(fact: &MachineFact) -> String {
    let (mark, text) = match &fact.found {
        Ok(text) => ("✓", text),
        Err(text) => ("✗", text),
    };
    let remedy = |remedy: &String| {
        let text = format!("{} {}", translate("to fix it:", "修复："), say(remedy));
        format!("\n      {}", wrap_sentence(&text, 6))
    };
    let remedy = fact.remedy.as_ref().map(remedy);
    let name = say(fact.name);
    // A Chinese character is two columns wide.
    let wide: usize = name.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    let gap = " ".repeat(22_usize.saturating_sub(wide));
    format!(
        "  {mark} {name}{gap} {}{}",
        wrap_sentence(&say(text), 27),
        remedy.unwrap_or_default()
    )
}

fn describe_tier(tier: Tier) -> &'static str {
    match tier {
        Tier::A => translate(
            "namespaces, system-call filter, memory bounded exactly: for anybody's programs",
            "命名空间、系统调用过滤、精确限制内存：可运行任何人的程序",
        ),
        Tier::B => translate(
            "the same, memory watched ten times a second: for anybody's programs, with care",
            "同上，但内存每秒检查十次：可谨慎运行他人的程序",
        ),
        Tier::C => translate(
            "Landlock, system-call filter, limits: for programs of your own",
            "Landlock、系统调用过滤、资源限制：仅适用于自己的程序",
        ),
        Tier::None => translate(
            "limits only; must be asked for: --isolation none",
            "仅资源限制；须显式指定 --isolation none",
        ),
    }
}

fn write_conclusion(offers: &[TierOffer]) -> String {
    let best = offers
        .iter()
        .find(|offer| offer.works.is_ok())
        .map_or(Tier::None, |offer| offer.tier);
    match best {
        Tier::None => translate(
            "Programs are refused on this machine unless you ask for --isolation none.",
            "除非指定 --isolation none，本机拒绝运行程序。",
        )
        .to_owned(),
        tier if translate("en", "zh") == "zh" => format!("程序将在等级 {tier} 中运行。"),
        tier => format!("Programs run in tier {tier}."),
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
    })
}
