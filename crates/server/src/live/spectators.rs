//! Limits of spectators, in all and by address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::client_address::ClientAddress;
use crate::metrics_registry;
use crate::sync::lock;

/// Concurrent spectators.
const MOST: usize = 20_000;
/// Concurrent spectators from one address; the limit is high because a school shares one.
const MOST_FROM_ONE: usize = 1_000;

/// Counts spectators.
#[derive(Clone, Debug)]
pub struct SpectatorCounter {
    /// How many there are of each address.
    pub by_address: Arc<Mutex<HashMap<ClientAddress, usize>>>,
    /// The limit of all.
    pub most: usize,
    /// The limit of one address.
    pub most_from_one: usize,
}

/// A counted spectator; it counts until it is dropped.
#[derive(Debug)]
pub struct SpectatorSlot {
    guests: SpectatorCounter,
    address: ClientAddress,
}

impl Default for SpectatorCounter {
    fn default() -> SpectatorCounter {
        SpectatorCounter {
            by_address: Arc::default(),
            most: MOST,
            most_from_one: MOST_FROM_ONE,
        }
    }
}

impl SpectatorCounter {
    /// Counts one more spectator, unless a limit is reached.
    pub fn admit_spectator(&self, address: ClientAddress) -> Option<SpectatorSlot> {
        let mut guests = lock(&self.by_address);
        let own = guests.get(&address).copied().unwrap_or(0);
        if own >= self.most_from_one || guests.values().sum::<usize>() >= self.most {
            return None;
        }
        guests.insert(address, own + 1);
        metrics::gauge!(metrics_registry::SPECTATORS).increment(1.0);
        Some(SpectatorSlot {
            guests: self.clone(),
            address,
        })
    }

    /// Whether anybody watches.
    pub fn is_any(&self) -> bool {
        !lock(&self.by_address).is_empty()
    }
}

impl Drop for SpectatorSlot {
    fn drop(&mut self) {
        let mut guests = lock(&self.guests.by_address);
        let left = guests.get(&self.address).map_or(0, |count| count - 1);
        match left {
            0 => guests.remove(&self.address),
            left => guests.insert(self.address, left),
        };
        metrics::gauge!(metrics_registry::SPECTATORS).decrement(1.0);
    }
}
