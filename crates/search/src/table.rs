//! A transposition table: what a search found out about positions, by their keys.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// A value that fits into 48 bits.
pub trait TableValue: Copy {
    /// The value as a number below 2 to the power of 48.
    fn pack(self) -> u64;
    /// The value of such a number.
    fn unpack(bits: u64) -> Self;
}

impl TableValue for u32 {
    fn pack(self) -> u64 {
        self.into()
    }

    fn unpack(bits: u64) -> u32 {
        bits as u32
    }
}

/// A table of fixed size from 64-bit keys to small values. A slot holds one entry; a newer entry
/// replaces an older one unless the older one is worth more and belongs to the same search.
///
/// Several threads may read and write it at once without a lock: a slot is two words, the first of
/// which is the key combined with the second (R. Hyatt, T. Mann, "A lockless transposition table
/// implementation for parallel search", 2002), so an entry of which another thread has
/// written one half is not found.
///
/// Two positions with the same key are taken for the same position.
///
/// ```
/// use leitai_search::TranspositionTable;
/// let table = TranspositionTable::new(10);
/// table.insert(7, 3, 1234u32);
/// assert_eq!(table.get(7), Some(1234));
/// assert_eq!(table.get(8), None);
/// ```
pub struct TranspositionTable<T> {
    slots: Vec<Slot>,
    mask: u64,
    search: AtomicU8,
    values: PhantomData<fn() -> T>,
}

/// The key combined with the entry, and the entry: 48 bits of value, 8 of worth, 7 of the search, and
/// one that says that there is an entry.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    entry: AtomicU64,
}

/// The largest table, as a power of two.
const MAX_BITS: u32 = 28;
const VALUE_BITS: u32 = 48;
const SEARCH_SHIFT: u32 = 56;
const SEARCHES: u8 = 0x7f;
const FILLED: u64 = 1 << 63;

impl<T: TableValue> TranspositionTable<T> {
    /// A table of 2 to the power of `bits` slots of 16 bytes; at most 28 bits.
    pub fn new(bits: u32) -> TranspositionTable<T> {
        let slots = 1usize << bits.min(MAX_BITS);
        TranspositionTable {
            slots: (0..slots).map(|_| Slot::default()).collect(),
            mask: slots as u64 - 1,
            search: AtomicU8::new(0),
            values: PhantomData,
        }
    }

    /// Begins a new search: entries stay, but give way to any new one.
    pub fn age(&self) {
        self.search.fetch_add(1, Ordering::Relaxed);
    }

    /// The entry of this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<T> {
        let (known, entry) = self.slot_of(key).read();
        (known == key && entry & FILLED != 0).then(|| T::unpack(entry & ((1 << VALUE_BITS) - 1)))
    }

    /// Notes an entry. `worth` says how much it costs to find out again, such as the depth.
    #[inline]
    pub fn insert(&self, key: u64, worth: u8, value: T) {
        let search = self.search.load(Ordering::Relaxed) & SEARCHES;
        let slot = self.slot_of(key);
        let (known, old) = slot.read();
        let is_current = old & FILLED != 0 && (old >> SEARCH_SHIFT) as u8 & SEARCHES == search;
        if is_current && known != key && (old >> VALUE_BITS) as u8 > worth {
            return;
        }
        let value = value.pack();
        debug_assert!(value >> VALUE_BITS == 0, "a value of at most 48 bits");
        let marks = u64::from(worth) << VALUE_BITS | u64::from(search) << SEARCH_SHIFT | FILLED;
        let entry = value | marks;
        slot.check.store(key ^ entry, Ordering::Relaxed);
        slot.entry.store(entry, Ordering::Relaxed);
    }

    #[inline]
    fn slot_of(&self, key: u64) -> &Slot {
        // Low bits of a weak key may repeat; the product's high bits depend on all of it.
        let index = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & self.mask;
        &self.slots[index as usize]
    }
}

impl Slot {
    /// The key and the entry.
    #[inline]
    fn read(&self) -> (u64, u64) {
        let entry = self.entry.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ entry, entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deeper_entry_of_the_same_search_stays() {
        let table = TranspositionTable::new(0);
        table.insert(1, 5, 10u32);
        table.insert(2, 3, 20);
        assert_eq!((table.get(1), table.get(2)), (Some(10), None));
        table.insert(1, 1, 30);
        assert_eq!(table.get(1), Some(30));
        table.insert(2, 1, 40);
        assert_eq!(table.get(2), Some(40));
    }

    #[test]
    fn entries_of_earlier_searches_give_way() {
        let table = TranspositionTable::new(0);
        table.insert(1, 5, 10u32);
        table.age();
        assert_eq!(table.get(1), Some(10));
        table.insert(2, 0, 20);
        assert_eq!(table.get(2), Some(20));
    }

    #[test]
    fn an_empty_table_has_no_entry_for_any_key() {
        let table = TranspositionTable::<u32>::new(3);
        for key in [0, 1, u64::MAX, FILLED] {
            assert_eq!(table.get(key), None, "{key}");
        }
        table.insert(0, 0, 0);
        assert_eq!(table.get(0), Some(0));
    }

    #[test]
    fn threads_never_see_half_an_entry() {
        // Few slots, so that threads overwrite each other all the time; a value belongs to its key.
        let table = TranspositionTable::<u32>::new(2);
        let value_of = |key: u64| (key as u32).wrapping_mul(0x9e37_79b9);
        let work = |start: u64| {
            for n in 0..200_000u64 {
                let key = (start + n * 7919) % 64;
                table.insert(key, (n % 5) as u8, value_of(key));
                let other = (n * 31) % 64;
                if let Some(found) = table.get(other) {
                    assert_eq!(found, value_of(other), "{other}");
                }
            }
        };
        std::thread::scope(|scope| {
            let work = &work;
            (0..4).for_each(|start| {
                scope.spawn(move || work(start));
            });
        });
    }
}
