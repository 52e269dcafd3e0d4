use std::sync::Arc;

use object_store::ObjectStore;

/// Where sources and replays lie.
#[derive(Clone, Debug)]
pub struct Vault {
    _objects: Arc<dyn ObjectStore>,
}

/// What the vault could not do.
#[derive(Debug, thiserror::Error)]
#[error("the vault failed: {0}")]
pub struct VaultError(#[from] object_store::Error);
