//! Uploads of sources: body formats, file names, and the check of archives.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use leitai_game::{GameHandle, TemplateOf};
use leitai_judge::build::includes::named_by;
use leitai_judge::build::language::PROGRAM_START;
use leitai_judge::build::source::{SourceKind, recognize_file};
use leitai_judge::build::{BuildError, Language, SourceBounds, unzip};
use leitai_store::SourceLanguages;
use leitai_store::blobs::blobs::LONGEST_SOURCE;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::http::app::App;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;

/// The longest body in bytes: a source and its notes, as JSON.
pub const BODY: usize = LONGEST_SOURCE * 2 + (1 << 20);
/// The longest notes of a version, in characters.
const NOTES: usize = 2_000;
/// The longest file name, in characters.
const NAME: usize = 100;

/// An uploaded source.
#[derive(Debug)]
pub struct Upload {
    /// Its name, without folders.
    pub file_name: String,
    /// The author's notes.
    pub notes: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Code from the page's editor.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TypedSource {
    /// The file name; its ending gives the language.
    #[schema(example = "bot.py")]
    file_name: String,
    #[schema(min_length = 1)]
    code: String,
    #[serde(default)]
    #[schema(max_length = 2000, pattern = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]
    notes: String,
}

/// A bot to be created, with or without its first version.
#[derive(Debug)]
pub struct BotUpload {
    /// The game's id.
    pub game: String,
    /// The name, unchecked.
    pub name: String,
    /// The author's description, unchecked.
    pub about: String,
    /// The first version.
    pub source: Option<Upload>,
}

/// A bot to be created. With `file_name` and `code` its first version is created with it, or
/// neither is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBotRequest {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// The name; unique on its ladder without regard to case.
    #[schema(
        example = "viper",
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: String,
    #[serde(default)]
    #[schema(max_length = 500, pattern = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]
    about: String,
    /// The name of the source, with `code`.
    #[schema(example = "bot.py")]
    file_name: Option<String>,
    /// The source of the first version.
    code: Option<String>,
    /// The author's notes on the first version.
    #[serde(default)]
    notes: String,
}

/// A bot and the file of its first version, as a form: both are created, or neither is.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the form")]
pub struct BotForm {
    /// The game's id.
    game: String,
    /// The name; unique on its ladder without regard to case.
    name: String,
    about: Option<String>,
    /// At most 16 MiB: a source, a program, or a zip.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    notes: Option<String>,
}

/// A file and its notes, as a form.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the form")]
pub struct UploadForm {
    /// At most 16 MiB: a source, a program, or a zip.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    notes: Option<String>,
}

impl FromRequest<App> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Upload> {
        let kind = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let upload = match () {
            () if kind.starts_with("multipart/form-data") => {
                read_form(request, app, &["notes"]).await?.into_upload()?
            }
            () if kind.starts_with("application/json") => {
                let Json(typed) = Json::<TypedSource>::from_request(request, app).await?;
                Upload {
                    file_name: typed.file_name,
                    notes: typed.notes,
                    bytes: typed.code.into_bytes(),
                }
            }
            () => return Err(wrong_type(&kind)),
        };
        upload.check_upload()
    }
}

fn wrong_type(kind: &str) -> ApiError {
    let kind: String = kind.chars().take(60).collect();
    let message = format!(
        "the body is {kind:?}; send multipart/form-data with `file` and `notes`, or JSON with `file_name`, `code` and `notes`"
    );
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong-type", message)
}

/// The fields of a form.
#[derive(Default)]
struct Fields {
    file: Option<(String, Vec<u8>)>,
    texts: BTreeMap<&'static str, String>,
}

impl Fields {
    /// The text of a field; empty if it was not sent.
    fn take_field(&mut self, name: &str) -> String {
        self.texts.remove(name).unwrap_or_default()
    }

    fn into_upload(mut self) -> Result<Upload> {
        let notes = self.take_field("notes");
        let file = self
            .file
            .ok_or_else(|| malformed_upload("the form has no field `file`; add one".to_owned()))?;
        Ok(Upload {
            file_name: file.0,
            notes,
            bytes: file.1,
        })
    }
}

fn malformed_upload(why: String) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "malformed", why)
}

/// Reads a form with a file and text fields.
async fn read_form(request: Request, app: &App, texts: &[&'static str]) -> Result<Fields> {
    let form = Multipart::from_request(request, app).await;
    let mut form = form.map_err(|rejection| malformed_upload(rejection.body_text()))?;
    let mut fields = Fields::default();
    while let Some(field) = form.next_field().await.map_err(multipart_error)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            let file_name = field.file_name().unwrap_or_default().to_owned();
            fields.file = Some((
                file_name,
                read_bounded(field, LONGEST_SOURCE, "file").await?,
            ));
            continue;
        }
        let Some(name) = texts.iter().copied().find(|known| *known == name) else {
            return Err(unknown_field(&name, texts));
        };
        let bytes = read_bounded(field, NOTES * 4, name).await?;
        let text = String::from_utf8(bytes)
            .map_err(|_| malformed_upload(format!("`{name}` is not text")))?;
        fields.texts.insert(name, text);
    }
    Ok(fields)
}

fn unknown_field(name: &str, texts: &[&str]) -> ApiError {
    let name: String = name.chars().take(40).collect();
    let known = texts.join("`, `");
    malformed_upload(format!(
        "the form has a field {name:?}; send `file` and `{known}`"
    ))
}

impl FromRequest<App> for BotUpload {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<BotUpload> {
        if is_form(&request) {
            let mut fields = read_form(request, app, &["game", "name", "about", "notes"]).await?;
            let (game, name, about) = (
                fields.take_field("game"),
                fields.take_field("name"),
                fields.take_field("about"),
            );
            let source = Some(fields.into_upload()?.check_upload()?);
            return Ok(BotUpload {
                game,
                name,
                about,
                source,
            });
        }
        let Json(typed) = Json::<NewBotRequest>::from_request(request, app).await?;
        let NewBotRequest {
            game,
            name,
            about,
            file_name,
            code,
            notes,
        } = typed;
        let source = match (file_name, code) {
            (Some(file_name), Some(code)) => Some(
                Upload {
                    file_name,
                    notes,
                    bytes: code.into_bytes(),
                }
                .check_upload()?,
            ),
            (None, None) => None,
            _ => {
                let message = "a source has both `file_name` and `code`; send both, or neither";
                return Err(ApiError::invalid_field("bad-field", "code", message));
            }
        };
        Ok(BotUpload {
            game,
            name,
            about,
            source,
        })
    }
}

/// Whether the body is a multipart form.
pub fn is_form(request: &Request) -> bool {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("multipart/form-data"))
}

/// Reads a field in chunks and stops at the first byte beyond the limit.
async fn read_bounded(mut field: Field<'_>, most: usize, what: &'static str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(multipart_error)? {
        add_bounded(&mut bytes, &piece, most, what)?;
    }
    Ok(bytes)
}

fn add_bounded(bytes: &mut Vec<u8>, piece: &Bytes, most: usize, what: &'static str) -> Result<()> {
    if bytes.len() + piece.len() > most {
        let refusal = ApiError::too_large(format!(
            "{what} has more than {most} bytes; leave out what the bot does not need"
        ));
        return Err(ApiError {
            field: Some(what),
            ..refusal
        });
    }
    bytes.extend_from_slice(piece);
    Ok(())
}

fn multipart_error(error: MultipartError) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::too_large("the form is too large; send at most 16 MiB")
        }
        status => ApiError::new(
            status,
            "malformed",
            format!("the form cannot be read: {}", error.body_text()),
        ),
    }
}

impl Upload {
    fn check_upload(self) -> Result<Upload> {
        let file_name = checked_name(&self.file_name)?;
        let notes = checked_text(&self.notes, "notes", NOTES)?;
        if self.bytes.is_empty() {
            return Err(ApiError::invalid_field(
                "empty",
                "file",
                "the file is empty; send the bot's source",
            ));
        }
        if self.bytes.len() > LONGEST_SOURCE {
            return Err(ApiError::too_large(
                "the file has more than 16 MiB; leave out what the bot does not need",
            ));
        }
        let upload = Upload {
            file_name,
            notes,
            bytes: self.bytes,
        };
        upload.is_a_program()?;
        Ok(upload)
    }

    /// Checks by name and first bytes that the judge can build or run it.
    fn is_a_program(&self) -> Result<()> {
        let refuse =
            |error: BuildError| ApiError::invalid_field("wrong-type", "file", error.to_string());
        self.recognize().map(drop).map_err(refuse)
    }

    fn recognize(&self) -> Result<SourceKind, BuildError> {
        let start = &self.bytes[..self.bytes.len().min(PROGRAM_START as usize)];
        recognize_file(self.file_name.as_ref(), start, false)
    }

    /// With the files of a game's SDK, if a source of one file names some: then both are a zip, so
    /// that the version stays what it is when the SDK changes.
    pub fn with_sdk(self, games: &[GameHandle]) -> Result<Upload> {
        let path = Path::new(&self.file_name);
        let language = Language::from_path(path);
        let Some(ending) = path.extension().filter(|_| language.is_some()) else {
            return Ok(self);
        };
        let named = named_by(path, &String::from_utf8_lossy(&self.bytes));
        // What a stranger's game brings gets into no upload that its author did not put it into.
        let own = games.iter().filter(|game| game.capabilities().prompt_rules);
        let kits = own.flat_map(|game| game.list_templates());
        let general = leitai_guest::starters::general().iter();
        let kits: Vec<TemplateOf<'_>> = kits.chain(general.map(TemplateOf::as_template)).collect();
        let given: BTreeMap<&str, &str> = kits
            .iter()
            .filter(|kit| Language::from_path(kit.file_name.as_ref()) == language)
            .flat_map(|kit| &*kit.files)
            .filter(|file| file.name != self.file_name)
            .filter(|file| named.iter().any(|path| path == Path::new(file.name)))
            .map(|file| (file.name, file.text))
            .collect();
        if given.is_empty() {
            return Ok(self);
        }
        // The class has the name of the file; elsewhere the build looks for this one.
        let main = match language {
            Some(Language::Java) => self.file_name.clone(),
            _ => format!("main.{}", ending.to_string_lossy()),
        };
        let files = given
            .into_iter()
            .map(|(name, text)| (name, text.as_bytes()));
        let zip = zip_files(files.chain([(main.as_str(), &self.bytes[..])]));
        Ok(Upload {
            file_name: format!("{}.zip", self.file_name),
            bytes: zip
                .map_err(|error| ApiError::internal_error("the SDK was not added", &error))?,
            notes: self.notes,
        })
    }

    fn is_zip(&self) -> bool {
        self.recognize().is_ok_and(|kind| kind == SourceKind::Zip)
    }

    /// What it is written in, as far as its names and first bytes tell: one language for a file,
    /// `make` or `cmake` for an archive that those build, otherwise everything that an archive
    /// contains. An archive was checked before.
    pub fn find_languages(&self) -> SourceLanguages {
        if !self.is_zip() {
            return file_language(&self.file_name, &self.bytes).unwrap_or(BINARY);
        }
        let (mut found, mut paths) = (SourceLanguages::NONE, Vec::new());
        let visited = unzip::visit_files(
            &self.bytes,
            self.file_name.as_ref(),
            SourceBounds::FOLDER,
            |path, file| {
                let mut start = Vec::new();
                file.take(4).read_to_end(&mut start)?;
                let own = file_language(&path.to_string_lossy(), &start);
                found = found.or(own.unwrap_or(SourceLanguages::NONE));
                paths.push(path.to_owned());
                Ok(true)
            },
        );
        match (visited, built_by(&paths)) {
            (Ok(()), Some(tool)) => tool,
            (Ok(()), None) if !found.is_empty() => found,
            _ => BINARY,
        }
    }

    /// Refuses an archive that the judge would not unpack: paths that lead out, links, too many or
    /// too large entries. It writes nothing but decompresses everything, which takes a while.
    pub fn check_archive(&self) -> Result<()> {
        if !self.is_zip() {
            return Ok(());
        }
        let refuse = |error: BuildError| match error {
            BuildError::TooLarge { .. } => ApiError {
                field: Some("file"),
                ..ApiError::too_large(error.to_string())
            },
            _ => ApiError::invalid_field("bad-zip", "file", error.to_string()),
        };
        unzip::check_archive(&self.bytes, self.file_name.as_ref(), SourceBounds::FOLDER)
            .map_err(refuse)
    }
}

/// The code alone of a source that came with the files of an SDK, with the name of its file.
pub fn code_beside_sdk(file_name: &str, bytes: &[u8]) -> Option<(String, Vec<u8>)> {
    let own = file_name.strip_suffix(".zip")?;
    let ending = Path::new(own).extension()?.to_str()?;
    let mut zip = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let names = [own.to_owned(), format!("main.{ending}")];
    let at = names.iter().find_map(|name| zip.index_for_name(name))?;
    let mut code = Vec::new();
    let file = zip.by_index(at).ok()?;
    file.take(LONGEST_SOURCE as u64)
        .read_to_end(&mut code)
        .ok()?;
    Some((own.to_owned(), code))
}

fn zip_files<'f>(files: impl Iterator<Item = (&'f str, &'f [u8])>) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
        zip.start_file(name, options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// A program that is not built.
const BINARY: SourceLanguages = SourceLanguages::from_known("binary");

/// The language of a file by its name, or that of a program by its first bytes.
fn file_language(name: &str, start: &[u8]) -> Option<SourceLanguages> {
    let known = Language::from_path(name.as_ref()).map(|language| match language {
        Language::C => "c",
        Language::Cpp => "cpp",
        Language::Java => "java",
        Language::JavaScript => "javascript",
        Language::Python => "python",
        Language::Rust => "rust",
        Language::TypeScript => "typescript",
        Language::Go => "go",
        Language::CSharp => "csharp",
        Language::Kotlin => "kotlin",
    });
    let known = known.map(SourceLanguages::from_known);
    let is_program = start.starts_with(b"\x7fELF") || start.starts_with(b"#!");
    known.or(is_program.then_some(BINARY))
}

/// The tool that builds an archive with these files, if there is a recipe for one where the judge
/// looks: at the top, or in the only folder there.
pub fn built_by(paths: &[PathBuf]) -> Option<SourceLanguages> {
    let tops: BTreeSet<_> = paths.iter().map(|path| path.components().next()).collect();
    let is_one_folder = tops.len() == 1 && paths.iter().all(|path| path.iter().count() > 1);
    let depth = usize::from(is_one_folder);
    let has = |names: &[&str]| {
        paths.iter().any(|path| {
            let mut parts = path.iter().skip(depth);
            let name = parts.next().and_then(|name| name.to_str());
            parts.next().is_none() && name.is_some_and(|name| names.contains(&name))
        })
    };
    if has(&["GNUmakefile", "makefile", "Makefile"]) {
        return Some(SourceLanguages::from_known("make"));
    }
    has(&["CMakeLists.txt"]).then(|| SourceLanguages::from_known("cmake"))
}

/// The last component of the file name, checked. Browsers on Windows may send a whole path.
pub fn checked_name(name: &str) -> Result<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let refuse = |why: &str| {
        Err(ApiError::invalid_field(
            "bad-file-name",
            "file_name",
            format!("the file's name {why}; give it a plain one like bot.py"),
        ))
    };
    if last.is_empty() || last.chars().all(|c| c == '.') {
        return refuse("is empty");
    }
    if last.chars().count() > NAME {
        return refuse("is too long");
    }
    if last.starts_with(['.', '-']) {
        return refuse("begins with a dot or a hyphen");
    }
    let is_odd = |c: char| c.is_control() || !(c.is_alphanumeric() || "._-+ ()".contains(c));
    if last.chars().any(is_odd) {
        return refuse("has characters that compilers do not accept");
    }
    Ok(last.replace(' ', "_"))
}

/// Trims a text and checks its length; control characters other than line ends are refused.
pub fn checked_text(text: &str, field: &'static str, most: usize) -> Result<String> {
    let text: String = text.trim().replace("\r\n", "\n").nfc().collect();
    let length = text.chars().count();
    if length > most {
        return Err(ApiError::invalid_field(
            "too-long",
            field,
            format!("{field} has {length} characters; at most {most} are kept"),
        ));
    }
    match text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        Some(bad) => Err(ApiError::invalid_field(
            "bad-text",
            field,
            format!("{field} has {bad:?} in it; leave it out"),
        )),
        None => Ok(text),
    }
}
