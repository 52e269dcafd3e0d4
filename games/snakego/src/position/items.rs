//! The items of a position: those on the map, those to come, and who picks them up.

use leitai_game::{BySeat, Seat};

use super::{ActObserver, Event, MAX_SNAKES, Position};
use crate::board::{Board, Cell, either_has};
use crate::items::{Item, ItemKind, LIFETIME};
use crate::setup::Setup;

impl Position {
    #[cold]
    pub(super) fn pick_up(&mut self, setup: &Setup, cell: Cell, watch: &mut impl ActObserver) {
        if let Some((id, item)) = self.take_lying(setup, cell) {
            self.give_item(self.turn.place(), id, item, watch);
        }
    }

    /// Removes the item that lies on a cell.
    fn take_lying<'a>(&mut self, setup: &'a Setup, cell: Cell) -> Option<(u16, &'a Item)> {
        self.laid.remove(cell);
        let mut ages = self.lying;
        while ages != 0 {
            let age = ages.trailing_zeros() as u16;
            ages &= ages - 1;
            let found = setup
                .item_appearing(self.round - age)
                .filter(|(_, item)| item.cell == cell);
            if found.is_some() {
                self.lying &= !(1 << age);
                return found;
            }
        }
        None
    }

    /// "Length into the bank; a ray replaces the held one."
    fn give_item(&mut self, place: usize, id: u16, item: &Item, watch: &mut impl ActObserver) {
        let snake = &mut self.snakes.as_flattened_mut()[place];
        match item.kind {
            ItemKind::Length => snake.bank = snake.bank.saturating_add(item.param),
            ItemKind::Ray => snake.ray = id as i16,
        }
        let (snake, bank) = (snake.id, snake.bank);
        watch.event(|| Event::Ate {
            snake,
            item: id,
            bank,
        });
        let seat = Seat::BOTH[place / MAX_SNAKES];
        watch.snakes(seat);
        let first = &mut self.first_item[seat.index()];
        if *first == 0 {
            *first = self.round;
        }
    }

    /// The item of this round appears where a snake or another item is.
    #[cold]
    pub(super) fn make_item_meet(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        let Some((id, item)) = setup.item_appearing(self.round) else {
            return;
        };
        if either_has(&self.bodies, item.cell) {
            self.give_item(self.snake_at(item.cell), id, item, watch);
            return;
        }
        // First edition: "the newcomer replaces what lies on the cell".
        if let Some((old, _)) = self.take_lying(setup, item.cell) {
            watch.event(|| Event::Vanished { item: old });
        }
        self.laid.insert(item.cell);
        self.lying |= 1;
        watch.event(|| Event::Appeared { item: id });
    }

    /// The ages, in rounds, of the items on the map as a bit set.
    #[inline]
    pub(crate) fn lying_ages(&self) -> u16 {
        self.lying
    }

    /// The cells with an item, also inside walls.
    pub fn item_cells(&self) -> Board {
        self.laid
    }

    /// The ids of the items on the map, ascending.
    pub fn lying_items<'a>(
        &self,
        setup: &'a Setup,
    ) -> impl Iterator<Item = (u16, &'a Item)> + use<'a> {
        let (round, lying) = (self.round, self.lying);
        let ages = (0..LIFETIME).rev().filter(move |age| lying >> age & 1 != 0);
        ages.filter_map(move |age| setup.item_appearing(round - age))
    }

    /// The items on the map and those that will appear within so many rounds, by round.
    pub(crate) fn items_within<'a>(
        &self,
        setup: &'a Setup,
        rounds: u16,
    ) -> impl Iterator<Item = &'a Item> + use<'a> {
        let coming = self.round + 1..=self.round + rounds;
        let appearing = coming.filter_map(|later| setup.item_appearing(later));
        self.lying_items(setup)
            .chain(appearing)
            .map(|(_, item)| item)
    }

    /// The round of each side's first item.
    pub fn first_item(&self) -> BySeat<Option<u16>> {
        BySeat::new(self.first_item[0], self.first_item[1])
            .map_values(|round| (round > 0).then_some(round))
    }
}
