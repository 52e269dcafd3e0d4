//! `leitai download MATCH`

use std::borrow::Cow;

use crate::cli::DownloadArgs;
use crate::files::{is_stdout, write_bytes};
use crate::prelude::*;

/// Fetches a replay or a source.
pub fn run(lang: Localizer, args: &DownloadArgs) -> Result<ExitCode> {
    let api = ArenaClient::for_reading(lang)?;
    let (bytes, name) = match (args.number, args.source) {
        (Some(number), _) => {
            let bytes = api.get_bytes(&format!("/api/matches/{number}/replay"))?;
            (bytes, format!("match-{number}.json"))
        }
        (None, source) => {
            let id = source.context("neither a match nor a version was named")?;
            let version = api.get(&format!("/api/versions/{id}"))?;
            let name = version["file_name"].as_str().unwrap_or("source").to_owned();
            (
                api.get_bytes(&format!("/api/versions/{id}/source"))?,
                plain_name(&name),
            )
        }
    };
    match &args.output {
        Some(path) if is_stdout(path) => {
            write_bytes(path, &bytes)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(path) => write(lang, path, &bytes)?.print(args.form.json),
        None => write(lang, &free_name(&name), &bytes)?.print(args.form.json),
    }
}

/// A file name without a path, from an untrusted name.
fn plain_name(name: &str) -> String {
    let last = Path::new(name)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("source");
    // Neither a hidden file nor characters that a terminal would obey.
    let sound = |c: &char| matches!(clean_line(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_));
    let name: String = last.chars().filter(sound).collect();
    match name.trim_start_matches('.') {
        "" => "source".to_owned(),
        name => name.to_owned(),
    }
}

/// The name, or with a number before its suffix if it is taken.
fn free_name(name: &str) -> PathBuf {
    let (stem, ending) = name
        .rsplit_once('.')
        .map_or((name, String::new()), |(stem, end)| {
            (stem, format!(".{end}"))
        });
    let names = (2..).map(|number| PathBuf::from(format!("{stem}-{number}{ending}")));
    std::iter::once(PathBuf::from(name))
        .chain(names)
        .find(|path| !path.exists())
        .expect("some number is free")
}

fn write(lang: Localizer, path: &Path, bytes: &[u8]) -> Result<Answer> {
    write_bytes(path, bytes)?;
    let (path, size) = (path.display().to_string(), bytes.len());
    let (wrote, unit) = (lang.label("wrote"), lang.label("bytes"));
    let fields = json!({"file": path, "bytes": size});
    Ok(Answer::new(
        "download",
        fields,
        format!("{wrote} {path} ({size} {unit})"),
    ))
}
