//! What migrations are written with: columns by their kinds, and the tables of both databases.

use sea_orm::sea_query::IntoIden;
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, ExecResult};

pub use sea_orm::DbErr;
pub use sea_orm::sea_query::{
    ColumnDef, ForeignKey, ForeignKeyCreateStatement, Index, IndexCreateStatement, IndexOrder,
    Table, TableAlterStatement, TableCreateStatement, TableRenameStatement,
};

/// One step from an older database to today's.
#[async_trait::async_trait]
pub trait Migration: Send + Sync {
    /// Its name in the database; never changed.
    fn name(&self) -> &str;

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr>;
}

/// Changes the tables of a database.
pub struct SchemaManager<'a> {
    connection: Connection<'a>,
}

/// A migration of PostgreSQL is a transaction, one of SQLite is none.
pub enum Connection<'a> {
    Plain(&'a DatabaseConnection),
    Transaction(&'a DatabaseTransaction),
}

/// Calls a method of the connection, whatever it is.
macro_rules! on {
    ($connection:expr, $method:ident($($argument:expr)?)) => {
        match $connection {
            Connection::Plain(connection) => connection.$method($($argument)?),
            Connection::Transaction(connection) => connection.$method($($argument)?),
        }
    };
}

impl Connection<'_> {
    pub async fn execute_unprepared(&self, statement: &str) -> Result<ExecResult, DbErr> {
        on!(self, execute_unprepared(statement)).await
    }

    pub fn get_database_backend(&self) -> DbBackend {
        on!(self, get_database_backend())
    }
}

impl<'a> SchemaManager<'a> {
    pub fn new(connection: Connection<'a>) -> SchemaManager<'a> {
        SchemaManager { connection }
    }

    pub fn get_connection(&self) -> &Connection<'a> {
        &self.connection
    }
}

/// Methods that run a statement of sea-query.
macro_rules! statements {
    ($($name:ident $statement:ty;)*) => {
        impl SchemaManager<'_> {$(
            pub async fn $name(&self, statement: $statement) -> Result<(), DbErr> {
                match self.connection {
                    Connection::Plain(connection) => connection.execute(&statement).await?,
                    Connection::Transaction(connection) => connection.execute(&statement).await?,
                };
                Ok(())
            }
        )*}
    };
}

statements! {
    create_table TableCreateStatement;
    alter_table TableAlterStatement;
    rename_table TableRenameStatement;
    create_index IndexCreateStatement;
}

/// Functions that make a column of a kind that always has a value, or may lack it.
macro_rules! columns {
    ($($name:ident $kind:ident $presence:ident;)*) => {$(
        pub fn $name(name: impl IntoIden) -> ColumnDef {
            ColumnDef::new(name).$kind().$presence().take()
        }
    )*};
}

columns! {
    big_integer big_integer not_null;
    big_integer_null big_integer null;
    boolean boolean not_null;
    double double not_null;
    double_null double null;
    integer integer not_null;
    integer_null integer null;
    json json not_null;
    json_null json null;
    string string not_null;
    string_null string null;
    text text not_null;
    text_null text null;
}

/// A number that the database gives.
pub fn big_pk_auto(name: impl IntoIden) -> ColumnDef {
    big_integer(name).auto_increment().primary_key().take()
}

/// A text that only one row has.
pub fn string_uniq(name: impl IntoIden) -> ColumnDef {
    string(name).unique_key().take()
}
