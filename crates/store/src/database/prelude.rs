//! What files with queries use: sea-orm's traits, and the store's own changes, time and errors.

pub(crate) use sea_orm::ActiveValue::{NotSet, Set};
pub(crate) use sea_orm::entity::prelude::*;
pub(crate) use sea_orm::sea_query::{Expr, OnConflict};
pub(crate) use sea_orm::{
    Condition, FromQueryResult, IntoActiveModel, Iterable, JoinType, PaginatorTrait, QueryOrder,
    QuerySelect, QueryTrait, Select,
};

pub(crate) use crate::database::availability::Change;
pub(crate) use crate::database::rows::{
    delete_rows, find_row, insert_new, insert_new_rows, insert_or, insert_row, insert_rows,
    lock_row, update_rows,
};
pub(crate) use crate::{Result, Store, StoreError, Timestamp};
