//! The error responses that all routes share, for the OpenAPI document. They come from the layers
//! around the routes (authentication, check of parameters, body extractors), so no route has to
//! list them.

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::schema::AdditionalProperties;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, ResponseBuilder, Schema};

/// A status and its description.
type Refusal = (&'static str, &'static str);

const PARAMETER: Refusal = (
    "400",
    "`bad-query` `unknown-parameter`: a query parameter is wrong or unknown",
);
const MALFORMED: Refusal = (
    "400",
    "`malformed` `bad-query` `unknown-parameter`: the body cannot be read, or a parameter is wrong",
);
const TOKEN: Refusal = (
    "401",
    "`token` `login`: the API token is not valid, or an account is needed",
);
const FORBIDDEN: Refusal = (
    "403",
    "`csrf` `cross-site`: the request does not come from the arena's own page",
);
const NOT_FOUND: Refusal = ("404", "`not-found`: there is no such thing");
const TOO_LARGE: Refusal = ("413", "`too-large`: the body is too large");
const MEDIA_TYPE: Refusal = (
    "415",
    "`wrong-type`: the content type is none that is taken",
);
const FIELD: Refusal = (
    "422",
    "`bad-field` `unknown-field`: a field of the body is wrong or unknown",
);

/// Adds the shared error responses to every operation that does not describe them itself.
pub fn add_shared_refusals(document: &mut OpenApi) {
    for (path, item) in document
        .paths
        .paths
        .iter_mut()
        .filter(|(path, _)| path.starts_with("/api/"))
    {
        let in_path = path.contains('{');
        for (reads, operation) in operations_of(item) {
            let shared = shared_refusals(operation, in_path, reads);
            shared
                .into_iter()
                .for_each(|refusal| describe_refusal(operation, refusal));
        }
    }
}

/// Marks every externally tagged enum as closed: serde accepts exactly one tag.
pub fn close_choices(document: &mut OpenApi) {
    let schemas = document
        .components
        .iter_mut()
        .flat_map(|components| components.schemas.values_mut());
    for schema in schemas {
        let RefOr::T(Schema::OneOf(choice)) = schema else {
            continue;
        };
        for item in &mut choice.items {
            if let RefOr::T(Schema::Object(own)) = item
                && own.properties.len() == 1
                && own.required.len() == 1
            {
                own.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            }
        }
    }
}

/// The operations of a path, each with whether it only reads.
fn operations_of(item: &mut PathItem) -> impl Iterator<Item = (bool, &mut Operation)> {
    let PathItem {
        get,
        put,
        post,
        delete,
        patch,
        ..
    } = item;
    let all = [
        (true, get),
        (false, put),
        (false, post),
        (false, delete),
        (false, patch),
    ];
    all.into_iter()
        .filter_map(|(reads, operation)| Some((reads, operation.as_mut()?)))
}

fn shared_refusals(operation: &Operation, in_path: bool, reads: bool) -> Vec<Refusal> {
    let body = operation.request_body.as_ref().and_then(|body| match body {
        RefOr::T(body) => Some(body),
        RefOr::Ref(_) => None,
    });
    let json = body.is_some_and(|body| body.content.contains_key("application/json"));
    let identifies = !reads || operation.security.is_some();
    let all = [
        (!json, PARAMETER),
        (json, MALFORMED),
        (identifies, TOKEN),
        (!reads, FORBIDDEN),
        (in_path, NOT_FOUND),
        (body.is_some(), TOO_LARGE),
        (json, MEDIA_TYPE),
        (!reads && (json || body.is_none()), FIELD),
    ];
    all.into_iter()
        .filter_map(|(applies, refusal)| applies.then_some(refusal))
        .collect()
}

/// Adds the shared description where the operation lists the status without one.
fn describe_refusal(operation: &mut Operation, (status, why): Refusal) {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("ErrorBody")))
        .build();
    let response = ResponseBuilder::new()
        .description(why)
        .content("application/json", content)
        .build();
    let known = operation.responses.responses.entry(status.to_owned());
    let known = known.or_insert_with(|| RefOr::T(response));
    if let RefOr::T(known) = known
        && known.description.is_empty()
    {
        why.clone_into(&mut known.description);
    }
}
