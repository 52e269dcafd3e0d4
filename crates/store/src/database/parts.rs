//! What the folders above keep in memory beside the connection: one value of each type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type, made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Parts(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Parts {
    pub fn of<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let part = parts
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::new(make()));
        let part = part.clone().downcast();
        part.expect("a part is kept under its own type")
    }
}
