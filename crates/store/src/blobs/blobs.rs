//! The blob store: sources and replays. A write is atomic: a blob is complete or absent.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, ClientOptions, GetResult, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};

use crate::MatchId;
use crate::values::secret::random_token;

/// The longest source, in bytes.
pub const LONGEST_SOURCE: usize = 16 * 1024 * 1024;

/// The longest replay before compression, in bytes.
pub const LONGEST_REPLAY: usize = 64 * 1024 * 1024;

/// The longest package of a library, in bytes.
pub const LONGEST_LIBRARY: usize = 128 * 1024 * 1024;

/// Where the libraries are.
const LIBRARIES: &str = "sources/libraries/";

/// Where the position books are.
pub(crate) const BOOKS: &str = "sources/books/";

/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;

/// The place where sources and replays are stored. Clones share one store.
#[derive(Clone, Debug)]
pub struct BlobStore {
    objects: Arc<dyn ObjectStore>,
    /// The same place by patience: that of what runs by itself, and that of requests.
    by_patience: [Arc<dyn ObjectStore>; 2],
    /// A shared lock: tells other processes that open the folder that this one may be writing.
    _lock: Option<Arc<File>>,
}

/// The key of a blob: `sources/…` or `replays/…`, lower-case letters, digits, `-`, `_` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlobKey(String);

impl BlobKey {
    /// A new, unique key for a source.
    pub fn new_source() -> BlobKey {
        let token = random_token();
        BlobKey(format!("sources/{}/{}", &token[..2], &token[..32]))
    }

    /// A new key for a replay. Every attempt at a match has its own key, so that a late worker
    /// overwrites nothing.
    pub fn new_replay(id: MatchId) -> BlobKey {
        BlobKey(format!(
            "replays/{}/{id}-{}.zst",
            id.0 / 1000,
            &random_token()[..16]
        ))
    }

    /// A new key for the analysis of a match, which is kept as replays are.
    pub fn new_analysis(id: MatchId) -> BlobKey {
        BlobKey(format!(
            "replays/analyses/{}/{id}-{}.zst",
            id.0 / 1000,
            &random_token()[..16]
        ))
    }

    /// The key of a game file with this hash.
    pub fn of_game_file(hash: &str) -> BlobKey {
        BlobKey(format!("sources/games/{hash}"))
    }

    /// The key of a library, or of a list of them, by its hash.
    pub fn of_library(name: &str) -> BlobKey {
        BlobKey(format!("{LIBRARIES}{name}"))
    }

    /// The key of a position book with this SHA-256.
    pub fn of_book(hash: &str) -> BlobKey {
        BlobKey(format!("{BOOKS}{hash}"))
    }

    /// Parses a key that the database stores.
    pub fn parse(text: &str) -> Result<BlobKey, BlobStoreError> {
        let named = |part: &str| {
            let fine = |c: char| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.')
            };
            !part.is_empty() && !part.starts_with('.') && part.chars().all(fine)
        };
        let kind = text.starts_with("sources/") || text.starts_with("replays/");
        let fine = kind && text.len() <= LONGEST_KEY && text.split('/').all(named);
        if fine {
            Ok(BlobKey(text.to_owned()))
        } else {
            Err(BlobStoreError::Key(text.to_owned()))
        }
    }

    fn is_replay(&self) -> bool {
        self.0.starts_with("replays/")
    }

    fn size_limit(&self) -> usize {
        if self.is_replay() {
            LONGEST_REPLAY
        } else if self.0.starts_with(LIBRARIES) {
            LONGEST_LIBRARY
        } else {
            LONGEST_SOURCE
        }
    }

    /// The text that the database stores.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error of the blob store.
#[derive(Debug, thiserror::Error)]
pub enum BlobStoreError {
    /// There is no blob with this key.
    #[error("there is nothing named {0} in the blob store")]
    Missing(String),
    /// The blob is longer than the limit.
    #[error("{key} has {bytes} bytes; at most {most} are kept")]
    TooLong {
        /// The blob's key.
        key: String,
        /// The blob's length in bytes, or a lower bound of it.
        bytes: usize,
        /// The limit in bytes.
        most: usize,
    },
    /// The text is not a valid key.
    #[error("`{0}` is not a name in the blob store")]
    Key(String),
    /// The text is not the URL of a blob store.
    #[error("`{0}` is no place for replays; write file:///folder or s3://bucket/folder")]
    Address(String),
    /// The stored bytes cannot be decompressed.
    #[error("{0} is damaged: {1}")]
    Damaged(String, std::io::Error),
    /// The file system refused an operation.
    #[error("cannot use {0} for sources and replays: {1}")]
    Folder(String, std::io::Error),
    /// The bucket cannot be reached, listed or written.
    #[error(
        "cannot use the bucket of {address}: {cause}; check its name, AWS_ENDPOINT, AWS_REGION, \
         AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    Bucket {
        /// The URL, `s3://BUCKET/PREFIX`.
        address: String,
        /// What the service answered, or why there was no answer.
        cause: String,
    },
    /// The object store refused an operation.
    #[error("the blob store failed: {0}")]
    Place(object_store::Error),
}

impl BlobStore {
    /// Opens `file:///folder` (created if absent) or `s3://bucket/prefix`, a place in a bucket of an
    /// S3-compatible service, which the environment's `AWS_…` variables describe. The bucket must
    /// exist; it is listed and written to once, so that a wrong name or key is an error here and
    /// not at the first upload.
    pub async fn open_url(url: &str) -> Result<BlobStore, BlobStoreError> {
        let text = |one: OsString| one.into_string().ok();
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        BlobStore::open_url_with(url, variables).await
    }

    /// [`BlobStore::open_url`] with these variables instead of the environment's.
    pub async fn open_url_with(
        url: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<BlobStore, BlobStoreError> {
        let address = || BlobStoreError::Address(url.to_owned());
        match url.split_once("://").ok_or_else(address)? {
            ("file", folder) => {
                let folder = PathBuf::from(folder);
                let opening = tokio::task::spawn_blocking(move || open_folder(&folder));
                let (objects, lock) = opening.await.map_err(|_| address())??;
                let objects: Arc<dyn ObjectStore> = Arc::new(objects);
                Ok(BlobStore {
                    by_patience: [objects.clone(), objects.clone()],
                    objects,
                    _lock: Some(Arc::new(lock)),
                })
            }
            ("s3", place) => open_bucket(url, place, variables).await,
            _ => Err(address()),
        }
    }

    /// The same place, whose operations on a bucket are tried again for 20 s: for what runs by itself.
    pub fn patient(&self) -> BlobStore {
        BlobStore {
            objects: self.by_patience[0].clone(),
            ..self.clone()
        }
    }

    /// The same place, whose operations on a bucket are tried again for 3 s: for a request, behind
    /// which somebody waits.
    pub fn for_requests(&self) -> BlobStore {
        BlobStore {
            objects: self.by_patience[1].clone(),
            ..self.clone()
        }
    }

    /// Writes an object and deletes it again, to test whether the place accepts writes.
    pub async fn check_writing(&self) -> Result<(), BlobStoreError> {
        probe_place(&*self.objects, PROBED)
            .await
            .map_err(BlobStoreError::Place)
    }

    /// Writes a source or a replay (compressed). The blob is complete and durable when this
    /// returns.
    pub async fn put_blob(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), BlobStoreError> {
        let most = key.size_limit();
        if bytes.len() > most {
            return Err(BlobStoreError::TooLong {
                key: key.to_string(),
                bytes: bytes.len(),
                most,
            });
        }
        let bytes = if key.is_replay() {
            compress_blob(key, bytes).await?
        } else {
            bytes
        };
        let path = Path::from(key.as_str());
        self.objects
            .put(&path, PutPayload::from(bytes))
            .await
            .map(drop)
            .map_err(|error| BlobStoreError::from_store_error(key, error))
    }

    /// Reads a blob; [`BlobStoreError::Missing`] if there is none.
    pub async fn read_blob(&self, key: &BlobKey) -> Result<Vec<u8>, BlobStoreError> {
        let bytes = self.find_bounded(key).await?.bytes().await;
        let bytes = bytes.map_err(|error| BlobStoreError::from_store_error(key, error))?;
        if key.is_replay() {
            expand_blob(key, bytes.into()).await
        } else {
            Ok(bytes.into())
        }
    }

    /// The size of a blob in bytes and its parts, as it is stored (of a replay compressed): for what
    /// is too long to have in memory for each who asks.
    pub async fn stream_blob(
        &self,
        key: &BlobKey,
    ) -> Result<(u64, BoxStream<'static, object_store::Result<Bytes>>), BlobStoreError> {
        let found = self.find_bounded(key).await?;
        Ok((found.meta.size, found.into_stream()))
    }

    async fn find_bounded(&self, key: &BlobKey) -> Result<GetResult, BlobStoreError> {
        let found = self.objects.get(&Path::from(key.as_str())).await;
        let found = found.map_err(|error| BlobStoreError::from_store_error(key, error))?;
        let (bytes, most) = (found.meta.size, key.size_limit());
        if bytes > most as u64 {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            return Err(BlobStoreError::TooLong {
                key: key.to_string(),
                bytes,
                most,
            });
        }
        Ok(found)
    }

    /// The stored size of a blob in bytes; `None` if there is no blob.
    pub async fn blob_size(&self, key: &BlobKey) -> Result<Option<u64>, BlobStoreError> {
        match self.objects.head(&Path::from(key.as_str())).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(BlobStoreError::from_store_error(key, error)),
        }
    }

    /// The keys of all blobs.
    pub(crate) fn list_stored(&self) -> BoxStream<'_, Result<String, BlobStoreError>> {
        let found = self.objects.list(None).map_err(BlobStoreError::Place);
        let keys = found.try_filter_map(|found| async move {
            let key = BlobKey::parse(found.location.as_ref());
            Ok(key.ok().map(|key| key.to_string()))
        });
        keys.boxed()
    }

    /// A blob as it is stored, of a replay compressed; `None` if there is none.
    pub(crate) async fn read_stored(&self, key: &str) -> Result<Option<Vec<u8>>, BlobStoreError> {
        let key = BlobKey::parse(key)?;
        match self.objects.get(&Path::from(key.as_str())).await {
            Ok(found) => {
                let bytes = found.bytes().await;
                let bytes = bytes.map_err(|error| BlobStoreError::from_store_error(&key, error))?;
                Ok(Some(bytes.into()))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(BlobStoreError::from_store_error(&key, error)),
        }
    }

    /// Stores a blob as [`BlobStore::read_stored`] gives it.
    pub(crate) async fn put_stored(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobStoreError> {
        let key = BlobKey::parse(key)?;
        let path = Path::from(key.as_str());
        let put = self.objects.put(&path, PutPayload::from(bytes)).await;
        put.map(drop)
            .map_err(|error| BlobStoreError::from_store_error(&key, error))
    }

    /// Deletes a blob; no error if there is none.
    pub async fn delete_blob(&self, key: &BlobKey) -> Result<(), BlobStoreError> {
        match self.objects.delete(&Path::from(key.as_str())).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(BlobStoreError::from_store_error(key, error)),
        }
    }
}

impl BlobStoreError {
    fn from_store_error(key: &BlobKey, error: object_store::Error) -> BlobStoreError {
        match error {
            object_store::Error::NotFound { .. } => BlobStoreError::Missing(key.to_string()),
            error => BlobStoreError::Place(error),
        }
    }
}

/// The file whose lock says whether a process uses the folder.
const LOCK: &str = ".lock";

/// Opens a folder. Blobs are written to a temporary file, which is renamed once it is synced.
/// Temporary files of a killed server are removed, unless another process uses the folder and may
/// be writing.
fn open_folder(folder: &std::path::Path) -> Result<(LocalFileSystem, File), BlobStoreError> {
    let failed = |error| BlobStoreError::Folder(folder.display().to_string(), error);
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = File::options()
        .create(true)
        .append(true)
        .open(folder.join(LOCK))
        .map_err(failed)?;
    if lock.try_lock().is_ok() {
        sweep_temporary(folder).map_err(failed)?;
        lock.unlock().map_err(failed)?;
    }
    lock.lock_shared().map_err(failed)?;
    let objects = LocalFileSystem::new_with_prefix(folder).map_err(BlobStoreError::Place)?;
    Ok((objects.with_fsync(true), lock))
}

/// Removes temporary files. They are the only files with a `#` in their names.
fn sweep_temporary(folder: &std::path::Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sweep_temporary(&entry.path())?;
        } else if entry.file_name().as_encoded_bytes().contains(&b'#') {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The object that is written and deleted again, to see whether the place accepts writes.
const PROBE: &str = ".leitai-probe";
/// Its length in a running arena, in bytes.
const PROBED: usize = 64 << 10;

/// How long an operation on a bucket is tried again before it fails: of what runs by itself, and of
/// a request. With each, how long an attempt waits for a bucket that says nothing: else one attempt
/// would cost more than all the time for further ones.
const BUCKET_PATIENCE: [(Duration, Duration); 2] = [
    (Duration::from_secs(20), Duration::from_secs(10)),
    (Duration::from_secs(3), Duration::from_secs(5)),
];
/// The first and the longest pause between two attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];
/// How long it may take to connect.
const REACH: Duration = Duration::from_secs(2);

/// Writes [`PROBE`] and deletes it again.
async fn probe_place(objects: &dyn ObjectStore, length: usize) -> object_store::Result<()> {
    let probe = Path::from(PROBE);
    objects
        .put(&probe, PutPayload::from(vec![0; length]))
        .await?;
    match objects.delete(&probe).await {
        // Another server of the arena has just done so.
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn open_bucket(
    url: &str,
    place: &str,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<BlobStore, BlobStoreError> {
    let variables: Vec<(String, String)> = variables.into_iter().collect();
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    if bucket.is_empty() {
        return Err(BlobStoreError::Address(url.to_owned()));
    }
    let failed = |error: object_store::Error| BlobStoreError::Bucket {
        address: url.to_owned(),
        cause: describe_cause(&error),
    };
    let [background, requests] = BUCKET_PATIENCE.map(|patience| {
        let client = build_s3_client(bucket, &variables, patience)?;
        Ok(Arc::new(PrefixStore::new(client, prefix)) as Arc<dyn ObjectStore>)
    });
    let (objects, requests) = (background.map_err(failed)?, requests.map_err(failed)?);
    let mut listed = objects.list(Some(&Path::from("sources/00")));
    listed.try_next().await.map_err(failed)?;
    drop(listed);
    probe_place(&*objects, 6).await.map_err(failed)?;
    Ok(BlobStore {
        by_patience: [objects.clone(), requests],
        objects,
        _lock: None,
    })
}

fn build_s3_client(
    bucket: &str,
    variables: &[(String, String)],
    (patience, silence): (Duration, Duration),
) -> object_store::Result<AmazonS3> {
    // The same provider of cryptography as the database's and the worker's connections. It may be
    // installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Time alone is the limit, not the number of attempts.
    let retry = RetryConfig {
        retry_timeout: patience,
        max_retries: usize::MAX,
        backoff: BackoffConfig {
            init_backoff: PAUSES[0],
            max_backoff: PAUSES[1],
            ..BackoffConfig::default()
        },
    };
    let options = ClientOptions::new()
        .with_connect_timeout(REACH)
        .with_read_timeout(silence);
    let mut builder = AmazonS3Builder::new();
    for (name, value) in variables {
        let key = name.starts_with("AWS_").then(|| name.to_ascii_lowercase());
        if let Some(key) = key.and_then(|key| key.parse().ok()) {
            builder = builder.with_config(key, value);
        }
    }
    builder = builder
        .with_bucket_name(bucket)
        .with_retry(retry)
        .with_client_options(options);
    // Whoever writes http:// wants it.
    let is_plain = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint]
        .iter()
        .filter_map(|key| builder.get_config_value(key))
        .any(|endpoint| endpoint.starts_with("http://"));
    if is_plain {
        builder = builder.with_allow_http(true);
    }
    builder.build()
}

/// The innermost cause: what the service said, without the steps that led there. An answer of S3
/// is shortened to its code and message.
fn describe_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0)
    };
    match (element("Code"), element("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        _ => text,
    }
}

/// zstd's usual level: replays shrink about tenfold.
const LEVEL: i32 = 3;

async fn compress_blob(key: &BlobKey, bytes: Vec<u8>) -> Result<Vec<u8>, BlobStoreError> {
    move_aside(key, move || zstd::encode_all(bytes.as_slice(), LEVEL)).await
}

async fn expand_blob(key: &BlobKey, bytes: Vec<u8>) -> Result<Vec<u8>, BlobStoreError> {
    let expanded = move_aside(key, move || {
        let mut expanded = Vec::new();
        let decoder = zstd::Decoder::new(bytes.as_slice())?;
        decoder
            .take(LONGEST_REPLAY as u64 + 1)
            .read_to_end(&mut expanded)?;
        Ok(expanded)
    });
    let expanded = expanded.await?;
    if expanded.len() > LONGEST_REPLAY {
        let (key, bytes) = (key.to_string(), expanded.len());
        return Err(BlobStoreError::TooLong {
            key,
            bytes,
            most: LONGEST_REPLAY,
        });
    }
    Ok(expanded)
}

/// Runs blocking work on a thread where it does not block the asynchronous runtime.
async fn move_aside(
    key: &BlobKey,
    work: impl FnOnce() -> std::io::Result<Vec<u8>> + Send + 'static,
) -> Result<Vec<u8>, BlobStoreError> {
    let done = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|gone| Err(std::io::Error::other(gone)));
    done.map_err(|error| BlobStoreError::Damaged(key.to_string(), error))
}
