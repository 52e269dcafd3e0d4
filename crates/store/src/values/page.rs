//! Pages of lists, by key and not by offset: a page starts after the last row of the one before.

use crate::{Result, StoreError};

/// The most rows of a page.
pub const MOST: u64 = 100;

/// A request for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// The value of [`Page::next`]; `None` for the first page.
    pub before: Option<String>,
    /// The number of rows, clamped to 1 to [`MOST`].
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
    pub(crate) fn cursor_id(&self) -> Result<Option<i64>> {
        let parse = |text: &String| text.parse().map_err(|_| StoreError::Cursor(text.clone()));
        self.before.as_ref().map(parse).transpose()
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` at the end of the list.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Makes a page from one more row than requested, which says whether the list continues.
    pub(crate) fn from_items(
        ask: &PageQuery,
        mut items: Vec<T>,
        cursor: impl Fn(&T) -> String,
    ) -> Page<T> {
        let rows = ask.row_limit() as usize;
        let more = items.len() > rows;
        items.truncate(rows);
        let next = if more { items.last().map(cursor) } else { None };
        Page { items, next }
    }

    /// Converts the rows of the page.
    pub fn map_rows<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            next: self.next,
        }
    }
}
