//! Which file uses which.

use std::collections::{BTreeMap, BTreeSet};

/// Between files: who uses whom, and by which names.
pub type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;
