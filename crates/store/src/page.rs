//! Lists, a page at a time. Never by counting rows from the beginning: a page is found by the last row of the one before.

use crate::StoreError;

/// The most rows of a page.
pub const MOST: u64 = 100;

/// What is asked of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What [`Page::next`] said; nothing for the first page.
    pub before: Option<String>,
    /// How many rows, from 1 to [`MOST`]; anything else is brought there.
    pub limit: u64,
}

impl Default for Ask {
    fn default() -> Ask {
        Ask { before: None, limit: 20 }
    }
}

impl Ask {
    /// The first page with so many rows.
    pub fn first(limit: u64) -> Ask {
        Ask { before: None, limit }
    }

    /// The rows after a page.
    pub fn after(next: impl Into<String>, limit: u64) -> Ask {
        Ask { before: Some(next.into()), limit }
    }

    pub(crate) fn rows(&self) -> u64 {
        self.limit.clamp(1, MOST)
    }

    /// The cursor of a list that is ordered by one number.
    pub(crate) fn id(&self) -> Result<Option<i64>, StoreError> {
        let parse = |text: &String| text.parse().map_err(|_| StoreError::Cursor(text.clone()));
        self.before.as_ref().map(parse).transpose()
    }
}

/// Some rows of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Where to go on; nothing at the end of the list.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// From one row more than were asked for, which says whether the list goes on.
    pub(crate) fn of(ask: &Ask, mut items: Vec<T>, cursor: impl Fn(&T) -> String) -> Page<T> {
        let rows = ask.rows() as usize;
        let more = items.len() > rows;
        items.truncate(rows);
        let next = if more { items.last().map(cursor) } else { None };
        Page { items, next }
    }

    /// The same page of something made of its rows.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), next: self.next }
    }
}
