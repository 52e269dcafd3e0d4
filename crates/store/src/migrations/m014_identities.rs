use super::schema::*;

/// Adds identities at OpenID Connect providers, sign-ins that are under way, and people who have
/// yet to choose a name.
pub(super) struct AddIdentities;

#[async_trait::async_trait]
impl Migration for AddIdentities {
    fn name(&self) -> &str {
        "m014_identities"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let identities = Table::create()
            .table("identities")
            .col(big_pk_auto("id"))
            .col(big_integer("user"))
            .col(text("issuer"))
            .col(text("subject"))
            .col(string("provider"))
            .col(big_integer("created"))
            .col(big_integer("used"))
            .to_owned();
        manager.create_table(identities).await?;
        let mut once = Index::create();
        once.name("identities_once")
            .table("identities")
            .col("issuer")
            .col("subject")
            .unique();
        manager.create_index(once.to_owned()).await?;
        let mut by_user = Index::create();
        by_user
            .name("identities_by_user")
            .table("identities")
            .col("user");
        manager.create_index(by_user.to_owned()).await?;
        let sign_ins = Table::create()
            .table("sign_ins")
            .col(string("state").primary_key())
            .col(string("browser"))
            .col(string("provider"))
            .col(text("return_to"))
            .col(big_integer_null("user"))
            .col(big_integer("until"))
            .to_owned();
        manager.create_table(sign_ins).await?;
        let newcomers = Table::create()
            .table("newcomers")
            .col(string("browser").primary_key())
            .col(string("provider"))
            .col(text("issuer"))
            .col(text("subject"))
            .col(text("name"))
            .col(text("return_to"))
            .col(big_integer("until"))
            .to_owned();
        manager.create_table(newcomers).await
    }
}
