//! Parameters and results of paged lists.

use axum::http::StatusCode;
use leitai_store::{LadderPart, Page, PageQuery};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::error::{ApiError, Result};

/// The longest cursor in bytes.
const CURSOR: usize = 100;

/// The page of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// The `next` of the previous page; absent for the first page.
    #[param(pattern = "^([0-9]{1,18})?$")]
    before: Option<String>,
    /// Rows per page: 1 to 100, default 20.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u64>,
}

/// The page of a ladder.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichRanks {
    /// The `next` of the previous page; absent for the first page.
    #[param(pattern = "^([0-489a-c][0-9a-f]{15}-[0-9]{1,18})?$")]
    before: Option<String>,
    /// Rows per page: 1 to 100, default 20.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u64>,
}

/// A ladder of a game.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichLadder {
    /// The name of one of the game's ladders; default `standard`.
    #[param(max_length = 32, example = "standard")]
    pub ladder: Option<String>,
}

/// Who wrote the bots of a ladder that are shown.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichAuthors {
    /// True: those that agents wrote; false: the others; absent: all.
    by_agent: Option<bool>,
}

impl WhichAuthors {
    /// The part of a ladder.
    pub fn part(self) -> LadderPart {
        LadderPart {
            division: None,
            by_agent: self.by_agent,
        }
    }
}

impl WhichRanks {
    /// The page request for the store.
    pub fn to_page_query(self) -> Result<PageQuery> {
        PageParameters {
            before: self.before,
            limit: self.limit,
        }
        .page_query()
    }
}

impl PageParameters {
    /// The page request for the store.
    pub fn page_query(self) -> Result<PageQuery> {
        let refuse = |field, message: String| ApiError {
            field: Some(field),
            ..ApiError::new(StatusCode::BAD_REQUEST, "bad-cursor", message)
        };
        let limit = self.limit.unwrap_or(20);
        if !(1..=leitai_store::values::page::MOST).contains(&limit) {
            let message = format!(
                "limit is {limit}; it must be 1 to {}",
                leitai_store::values::page::MOST
            );
            return Err(refuse("limit", message));
        }
        if self
            .before
            .as_ref()
            .is_some_and(|before| before.len() > CURSOR)
        {
            return Err(refuse(
                "before",
                "before is not a valid cursor; use `next` of the previous page".to_owned(),
            ));
        }
        Ok(PageQuery {
            before: self.before.filter(|before| !before.is_empty()),
            limit,
        })
    }
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListPage<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The cursor of the next page (`?before=`); null at the end of the list.
    pub next: Option<String>,
}

impl<T> ListPage<T> {
    /// Converts a page of the store.
    pub fn from_page<U>(page: Page<U>, change: impl FnMut(U) -> T) -> ListPage<T> {
        let page = page.map_rows(change);
        ListPage {
            items: page.items,
            next: page.next,
        }
    }

    /// A list that fits on one page.
    pub fn single_page(items: Vec<T>) -> ListPage<T> {
        ListPage { items, next: None }
    }
}
