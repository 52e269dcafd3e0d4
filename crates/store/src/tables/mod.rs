//! The tables as SeaORM's entities, with the types of their columns. Every folder may use them all.

/// What a table has beside its row: no hooks, and the tables that it is joined with, each as
/// `Name: Column = table.Column`. One that is `related` is found together with its rows.
macro_rules! relations {
    (related $name:ident: $own:ident = $table:ident.$other:ident) => {
        relations!($name: $own = $table.$other);

        impl sea_orm::Related<crate::tables::$table::Entity> for Entity {
            fn to() -> sea_orm::RelationDef {
                sea_orm::RelationTrait::def(&Relation::$name)
            }
        }
    };
    ($($name:ident: $own:ident = $table:ident.$other:ident),*) => {
        /// Which tables it is joined with.
        #[derive(Clone, Copy, Debug, EnumIter)]
        pub enum Relation {
            $(#[doc = concat!("By the column `", stringify!($own), "`.")] $name,)*
        }

        impl sea_orm::RelationTrait for Relation {
            fn def(&self) -> sea_orm::RelationDef {
                match *self {
                    $(Relation::$name => Entity::belongs_to(crate::tables::$table::Entity)
                        .from(Column::$own)
                        .to(crate::tables::$table::Column::$other)
                        .into(),)*
                }
            }
        }

        impl ActiveModelBehavior for ActiveModel {}
    };
}

pub mod achievements;
pub mod analyses;
pub mod audit_log;
pub mod bots;
pub mod contest_names;
pub mod contests;
pub mod corrections;
pub mod counted_actions;
pub mod daily_challenges;
pub mod discards;
pub mod distinct_games;
pub mod erasure;
pub mod events;
pub mod experiments;
pub mod first_secrets;
pub mod follows;
pub mod freed_names;
pub mod game_files;
pub mod game_reports;
pub mod game_rights;
pub mod group_invitations;
pub mod group_members;
pub mod group_quotas;
pub mod groups;
pub mod health;
pub mod history;
pub mod home_bots;
pub mod identities;
pub mod identity;
pub mod jobs;
pub mod known_browsers;
pub mod ladder;
pub mod leadership;
pub mod legs;
pub mod lobby;
pub mod mail;
pub mod match_tags;
pub mod matches;
pub mod notifications;
pub mod openers;
pub mod partings;
pub mod parts;
pub mod passkeys;
pub mod pins;
pub mod rates;
pub mod rating_turns;
pub mod recount;
pub mod second_factors;
pub mod sessions;
pub mod signing_keys;
pub mod situations;
pub mod team_members;
pub mod teams;
pub mod tokens;
pub mod users;
pub mod versions;
pub mod visits;
pub mod webhooks;
pub mod workers;
