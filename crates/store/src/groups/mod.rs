//! Groups with organisers, and teams.

pub mod group_invitations;
pub mod group_quotas;
pub mod groups;
pub mod member_list;
pub(crate) mod members;
pub mod teams;
