//! Lists, a page at a time. Never by counting rows from the beginning: a page is found by the last
//! row of the one before.

use crate::StoreError;

/// The most rows of a page.
pub const MOST: u64 = 100;

/// What is asked of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// What [`Page::next`] said; nothing for the first page.
    pub before: Option<String>,
    /// How many rows, from 1 to [`MOST`]; anything else is brought there.
    pub limit: u64,
}

impl Default for PageQuery {
    fn default() -> PageQuery {
        PageQuery {
            before: None,
            limit: 20,
        }
    }
}

impl PageQuery {
    /// The first page with so many rows.
    pub fn first_page(limit: u64) -> PageQuery {
        PageQuery {
            before: None,
            limit,
        }
    }

    /// The rows after a page.
    pub fn page_after(next: impl Into<String>, limit: u64) -> PageQuery {
        PageQuery {
            before: Some(next.into()),
            limit,
        }
    }

    pub(crate) fn row_limit(&self) -> u64 {
        self.limit.clamp(1, MOST)
    }

    /// The cursor of a list that is ordered by one number.
    pub(crate) fn cursor_id(&self) -> Result<Option<i64>, StoreError> {
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
    pub(crate) fn of(ask: &PageQuery, mut items: Vec<T>, cursor: impl Fn(&T) -> String) -> Page<T> {
        let rows = ask.row_limit() as usize;
        let more = items.len() > rows;
        items.truncate(rows);
        let next = if more { items.last().map(cursor) } else { None };
        Page { items, next }
    }

    /// The same page of something made of its rows.
    pub fn map_rows<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            next: self.next,
        }
    }
}
