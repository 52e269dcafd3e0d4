use super::schema::*;

/// Adds addresses of people who want mail, links that are sent, and what is still to be sent.
pub(super) struct AddMail;

#[async_trait::async_trait]
impl Migration for AddMail {
    fn name(&self) -> &str {
        "m012b_mail"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let addresses = Table::create()
            .table("mail_addresses")
            .col(big_integer("user").primary_key())
            .col(text("address"))
            .col(text("folded"))
            .col(string("lang"))
            .col(big_integer_null("confirmed"))
            .col(string_null("problem"))
            .col(boolean("uploads").default(true))
            .col(boolean("contests").default(true))
            .to_owned();
        manager.create_table(addresses).await?;
        let mut by_address = Index::create();
        by_address
            .name("mail_addresses_by_folded")
            .table("mail_addresses")
            .col("folded");
        manager.create_index(by_address.to_owned()).await?;
        let links = Table::create()
            .table("mail_links")
            .col(string("hash").primary_key())
            .col(big_integer("user"))
            .col(string("kind"))
            .col(text("address"))
            .col(big_integer("until"))
            .to_owned();
        manager.create_table(links).await?;
        let mails = Table::create()
            .table("mails")
            .col(big_pk_auto("id"))
            .col(big_integer("user"))
            .col(string("kind"))
            .col(text_null("subject"))
            .col(big_integer("created"))
            .col(big_integer("due"))
            .col(integer("attempts"))
            .to_owned();
        manager.create_table(mails).await?;
        let mut by_due = Index::create();
        by_due.name("mails_by_due").table("mails").col("due");
        manager.create_index(by_due.to_owned()).await
    }
}
