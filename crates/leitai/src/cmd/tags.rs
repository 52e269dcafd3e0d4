//! `leitai tags MATCH`

use crate::cli::TagsArgs;
use crate::prelude::*;

/// Replaces the tags of a match if any are given, and shows those that it has.
pub fn run(lang: Localizer, args: &TagsArgs) -> Result<ExitCode> {
    let tags = match args.clear || !args.tags.is_empty() {
        true => replace_tags(lang, args)?,
        false => {
            let path = format!("/api/matches/{}", args.number);
            ArenaClient::for_reading(lang)?.get(&path)?["tags"].take()
        }
    };
    print_answer(args.json, &json!({"tags": tags}), || {
        format!("{}\n", describe_tags(lang, args.number, &tags))
    })
}

fn replace_tags(lang: Localizer, args: &TagsArgs) -> Result<Value> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let path = format!("/api/matches/{}/tags", args.number);
    let mut set = api.put_json(&path, &json!({"tags": args.tags}))?;
    Ok(set["tags"].take())
}

fn describe_tags(lang: Localizer, number: u64, tags: &Value) -> String {
    let words = tags.as_array().into_iter().flatten();
    let words: Vec<_> = words
        .map(|tag| clean_line(tag.as_str().unwrap_or_default()))
        .collect();
    match words.is_empty() {
        true => lang.fill("match {} has no tags", &[&number]),
        false => lang.fill("the tags of match {}: {}", &[&number, &words.join(", ")]),
    }
}
