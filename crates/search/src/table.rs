//! A transposition table: what a search found out about positions, by their keys.

/// A table of fixed size from 64-bit keys to small values. A slot holds one entry; a newer entry
/// replaces an older one unless the older one is worth more and belongs to the same search.
///
/// Two positions with the same key are taken for the same position.
///
/// ```
/// use leitai_search::TranspositionTable;
/// let mut table = TranspositionTable::new(10);
/// table.insert(7, 3, "found at depth 3");
/// assert_eq!(table.get(7), Some("found at depth 3"));
/// assert_eq!(table.get(8), None);
/// ```
pub struct TranspositionTable<T> {
    slots: Vec<Option<Slot<T>>>,
    mask: u64,
    search: u8,
}

#[derive(Clone, Copy)]
struct Slot<T> {
    key: u64,
    worth: u8,
    search: u8,
    value: T,
}

/// The largest table, as a power of two.
const MAX_BITS: u32 = 28;

impl<T: Copy> TranspositionTable<T> {
    /// A table of 2 to the power of `bits` slots; at most 28 bits.
    pub fn new(bits: u32) -> TranspositionTable<T> {
        let slots = 1usize << bits.min(MAX_BITS);
        TranspositionTable {
            slots: vec![None; slots],
            mask: slots as u64 - 1,
            search: 0,
        }
    }

    /// Begins a new search: entries stay, but give way to any new one.
    pub fn age(&mut self) {
        self.search = self.search.wrapping_add(1);
    }

    /// The entry of this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<T> {
        match self.slots[self.slot_of(key)] {
            Some(slot) if slot.key == key => Some(slot.value),
            _ => None,
        }
    }

    /// Notes an entry. `worth` says how much it costs to find out again, such as the depth.
    #[inline]
    pub fn insert(&mut self, key: u64, worth: u8, value: T) {
        let search = self.search;
        let index = self.slot_of(key);
        let stays = |old: &Slot<T>| old.search == search && old.key != key && old.worth > worth;
        if !self.slots[index].as_ref().is_some_and(stays) {
            self.slots[index] = Some(Slot {
                key,
                worth,
                search,
                value,
            });
        }
    }

    #[inline]
    fn slot_of(&self, key: u64) -> usize {
        // Low bits of a weak key may repeat; the product's high bits depend on all of it.
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & self.mask) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deeper_entry_of_the_same_search_stays() {
        let mut table = TranspositionTable::new(0);
        table.insert(1, 5, 'a');
        table.insert(2, 3, 'b');
        assert_eq!((table.get(1), table.get(2)), (Some('a'), None));
        table.insert(1, 1, 'c');
        assert_eq!(table.get(1), Some('c'));
        table.insert(2, 1, 'd');
        assert_eq!(table.get(2), Some('d'));
    }

    #[test]
    fn entries_of_earlier_searches_give_way() {
        let mut table = TranspositionTable::new(0);
        table.insert(1, 5, 'a');
        table.age();
        assert_eq!(table.get(1), Some('a'));
        table.insert(2, 0, 'b');
        assert_eq!(table.get(2), Some('b'));
    }
}
