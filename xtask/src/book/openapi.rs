//! The reference of the HTTP API as one page, made from its OpenAPI document: every operation by
//! its tag, then the schemas.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Context;
use serde_json::Value;

/// The page in Markdown.
pub fn page(document: &str) -> anyhow::Result<String> {
    let document: Value = serde_json::from_str(document).context("docs/openapi.json")?;
    let mut tags: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, methods) in members(&document["paths"]) {
        for (method, operation) in members(methods) {
            let tag = operation["tags"][0].as_str().unwrap_or("other");
            tags.entry(tag)
                .or_default()
                .push(describe_operation(path, method, operation));
        }
    }
    let mut text = String::from("# HTTP API reference\n\n");
    writeln!(text, "{}\n", prose(&document["info"]["description"]))?;
    text += "The same as a document for programs: `/api/openapi.json`.\n\n";
    for (tag, operations) in &tags {
        writeln!(text, "## {}\n\n{}", capitalized(tag), operations.join("\n"))?;
    }
    text += "## Schemas\n\n";
    for (name, schema) in members(&document["components"]["schemas"]) {
        text += &describe_schema(name, schema);
    }
    Ok(text)
}

fn describe_operation(path: &str, method: &str, operation: &Value) -> String {
    let mut text = format!("### `{} {path}`\n\n", method.to_uppercase());
    for part in ["summary", "description"] {
        let said = prose(&operation[part]);
        if !said.is_empty() {
            text += &format!("{said}\n\n");
        }
    }
    text += &format!("{}\n\n", describe_security(operation));
    text += &table(
        "| parameter | in | type | |",
        list(&operation["parameters"]).iter().map(|one| {
            let required = if one["required"] == true {
                ", required"
            } else {
                ""
            };
            let kind = kind(&one["schema"]);
            let (name, place) = (word(&one["name"]), word(&one["in"]));
            format!(
                "| `{name}` | {place}{required} | {kind} | {} |",
                cell(&one["description"])
            )
        }),
    );
    if let Some(body) = content(&operation["requestBody"]) {
        text += &format!("Body: {body}\n\n");
    }
    text += &table(
        "| status | answer | |",
        members(&operation["responses"]).map(|(status, answer)| {
            format!(
                "| {status} | {} | {} |",
                content(answer).unwrap_or_default(),
                cell(&answer["description"])
            )
        }),
    );
    text
}

/// The required authentication.
fn describe_security(operation: &Value) -> String {
    let ways: Vec<String> = list(&operation["security"])
        .iter()
        .map(|way| match members(way).next() {
            Some(("token", _)) => "an API token".to_owned(),
            Some(("session", _)) => "the session of a page".to_owned(),
            Some((name, _)) => name.to_owned(),
            None => "nothing".to_owned(),
        })
        .collect();
    if ways.is_empty() {
        "Open to everybody.".to_owned()
    } else {
        format!("Needs {}.", ways.join(" or "))
    }
}

/// The content types of a body and their schemas.
fn content(of: &Value) -> Option<String> {
    let all: Vec<String> = members(&of["content"])
        .map(|(media, body)| {
            let shown = kind(&body["schema"]);
            if media == "application/json" {
                shown
            } else {
                format!("{shown} (`{media}`)")
            }
        })
        .collect();
    (!all.is_empty()).then(|| all.join(" or "))
}

fn describe_schema(name: &str, schema: &Value) -> String {
    let mut text = format!("### {name}\n\n");
    let said = prose(&schema["description"]);
    if !said.is_empty() {
        text += &format!("{said}\n\n");
    }
    let rows = fields(schema);
    if rows.is_empty() {
        return text + &format!("{}\n\n", kind_without_name(schema));
    }
    text + &table("| field | type | |", rows.into_iter())
}

/// Table rows of an object's fields, also of a combined object.
fn fields(schema: &Value) -> Vec<String> {
    let parts = list(&schema["allOf"])
        .iter()
        .flat_map(|part| match part["$ref"].as_str() {
            Some(_) => vec![format!("| | {} | all its fields |", kind(part))],
            None => fields(part),
        });
    let required = list(&schema["required"]);
    let own = members(&schema["properties"]).map(|(name, field)| {
        let optional = if required.contains(&name.into()) {
            ""
        } else {
            ", optional"
        };
        format!(
            "| `{name}` | {}{optional} | {} |",
            kind(field),
            cell(&field["description"])
        )
    });
    parts.chain(own).collect()
}

/// A type as text, with a link to its schema.
fn kind(schema: &Value) -> String {
    match schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        Some(name) => format!("[{name}](#{})", name.to_lowercase()),
        None => kind_without_name(schema),
    }
}

fn kind_without_name(schema: &Value) -> String {
    for choice in ["oneOf", "anyOf", "allOf"] {
        let all: Vec<String> = list(&schema[choice]).iter().map(kind).collect();
        if !all.is_empty() {
            return all.join(" or ");
        }
    }
    let values: Vec<String> = list(&schema["enum"])
        .iter()
        .map(|value| format!("`{value}`"))
        .collect();
    if !values.is_empty() {
        return values.join(", ");
    }
    let named = match &schema["type"] {
        Value::Array(all) => all.iter().map(word).collect::<Vec<_>>().join(" or "),
        one => word(one),
    };
    let named = if named.is_empty() {
        "any".to_owned()
    } else {
        named
    };
    let format = schema["format"]
        .as_str()
        .map(|format| format!(" ({format})"))
        .unwrap_or_default();
    match &schema["items"] {
        Value::Null if schema["additionalProperties"].is_object() => {
            format!("map of {}", kind(&schema["additionalProperties"]))
        }
        Value::Null => format!("{named}{format}"),
        items => format!("{named} of {}", kind(items)),
    }
}

fn table(header: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let columns = header.matches('|').count() - 1;
    format!(
        "{header}\n|{}\n{}\n\n",
        "---|".repeat(columns),
        rows.join("\n")
    )
}

fn members(of: &Value) -> impl Iterator<Item = (&str, &Value)> {
    of.as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

fn word(of: &Value) -> String {
    of.as_str().unwrap_or_default().to_owned()
}

/// A description as plain text: it contains no markup.
fn prose(of: &Value) -> String {
    word(of).replace('<', "&lt;")
}

/// A description as a table cell.
fn cell(of: &Value) -> String {
    prose(of).replace('\n', " ").replace('|', "\\|")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_schema_is_on_the_page() {
        let document = include_str!("../../../docs/openapi.json");
        let page = page(document).expect("it is JSON");
        let document: Value = serde_json::from_str(document).expect("it is JSON");
        for (path, methods) in members(&document["paths"]) {
            for (method, _) in members(methods) {
                assert!(
                    page.contains(&format!("### `{} {path}`", method.to_uppercase())),
                    "{method} {path}"
                );
            }
        }
        for (name, _) in members(&document["components"]["schemas"]) {
            assert!(page.contains(&format!("\n### {name}\n")), "{name}");
        }
    }

    #[test]
    fn types_have_descriptions() {
        let check = |schema: &str, said: &str| {
            assert_eq!(kind(&serde_json::from_str(schema).expect("JSON")), said);
        };
        check(
            r##"{"$ref": "#/components/schemas/BotRow"}"##,
            "[BotRow](#botrow)",
        );
        check(
            r#"{"type": ["integer", "null"], "format": "int64"}"#,
            "integer or null (int64)",
        );
        check(
            r#"{"type": "array", "items": {"type": "string"}}"#,
            "array of string",
        );
        check(
            r#"{"type": "string", "enum": ["a", "b"]}"#,
            "`\"a\"`, `\"b\"`",
        );
    }
}
