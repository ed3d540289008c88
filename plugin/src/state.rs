//! Values that live as long as a registration: one of each type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::guard::guarded_drop;

type Value = Arc<dyn Any + Send + Sync>;

/// One value a type.
#[derive(Default)]
pub(crate) struct StateMap(Mutex<HashMap<TypeId, Arc<OnceLock<Value>>>>);

impl StateMap {
    /// The value of this type, made if it is not there. Made once, also if several threads ask.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        // The value is made outside the lock: its `default` may ask for the state of another type.
        let cell = Arc::clone(self.map().entry(TypeId::of::<T>()).or_default());
        let value = Arc::clone(cell.get_or_init(|| Arc::new(T::default())));
        value.downcast().expect("a value stands under its own type")
    }

    /// Drops the map's share of every value.
    pub(crate) fn clear(&self) {
        let values = std::mem::take(&mut *self.map());
        for (_, value) in values {
            guarded_drop(None, value);
        }
    }

    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<TypeId, Arc<OnceLock<Value>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
