//! Lists, a page at a time.

use axum::http::StatusCode;
use leitai_store::{Page, PageQuery};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::error::ApiError;

/// Bytes in a cursor.
const CURSOR: usize = 100;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// `next` of the page before; the first page without it.
    #[param(pattern = "^([0-9]{1,18})?$")]
    before: Option<String>,
    /// Rows of the page: 1 to 100, 20 unless told.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u64>,
}

/// Which page of a ladder.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichRanks {
    /// `next` of the page before; the first page without it.
    #[param(pattern = "^([0-489a-c][0-9a-f]{15}-[0-9]{1,18})?$")]
    before: Option<String>,
    /// Rows of the page: 1 to 100, 20 unless told.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u64>,
}

impl WhichRanks {
    /// As the store is asked.
    pub fn ask(self) -> Result<PageQuery, ApiError> {
        PageParameters {
            before: self.before,
            limit: self.limit,
        }
        .page_query()
    }
}

impl PageParameters {
    /// As the store is asked.
    pub fn page_query(self) -> Result<PageQuery, ApiError> {
        let refuse = |field, message: String| ApiError {
            field: Some(field),
            ..ApiError::new(StatusCode::BAD_REQUEST, "bad-cursor", message)
        };
        let limit = self.limit.unwrap_or(20);
        if !(1..=leitai_store::page::MOST).contains(&limit) {
            let message = format!(
                "limit is {limit}; it must be 1 to {}",
                leitai_store::page::MOST
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

/// Some rows of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListPage<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Where the list goes on (`?before=`); null at its end.
    pub next: Option<String>,
}

impl<T> ListPage<T> {
    /// Rows of the store, changed to what is shown.
    pub fn of<U>(page: Page<U>, change: impl FnMut(U) -> T) -> ListPage<T> {
        let page = page.map_rows(change);
        ListPage {
            items: page.items,
            next: page.next,
        }
    }

    /// A list that is short enough to be whole.
    pub fn single_page(items: Vec<T>) -> ListPage<T> {
        ListPage { items, next: None }
    }
}
