//! `say!` and `#[derive(Say)]`: sentences for people as messages of `leitai_game::lang`.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

use proc_macro::TokenStream;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, parse_macro_input};

mod sentence;

use sentence::Sentence;

/// A message: `say!("answer {} is over {most}", answer)`, written as for `format!`. The template
/// with `{}` for each value is its id. A value that is a message by itself stays one.
#[proc_macro]
pub fn say(input: TokenStream) -> TokenStream {
    let sentence = parse_macro_input!(input as Sentence);
    expand(sentence.to_message())
}

/// `Say` for an error with the sentences of thiserror: each `#[error("…")]` is a message.
#[proc_macro_derive(Say, attributes(error))]
pub fn derive_say(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(implement(&input))
}

fn expand(tokens: syn::Result<Tokens>) -> TokenStream {
    tokens.unwrap_or_else(|why| why.to_compile_error()).into()
}

fn implement(input: &DeriveInput) -> syn::Result<Tokens> {
    let name = &input.ident;
    let arms = match &input.data {
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let ident = &variant.ident;
                write_arm(
                    &quote!(#name::#ident),
                    &variant.fields,
                    &variant.attrs,
                    variant.ident.span(),
                )
            });
            arms.collect::<syn::Result<Vec<_>>>()?
        }
        Data::Struct(data) => vec![write_arm(
            &quote!(#name),
            &data.fields,
            &input.attrs,
            name.span(),
        )?],
        Data::Union(_) => return Err(Error::new(name.span(), "a union has no sentence")),
    };
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, clippy::all, clippy::pedantic)]
        impl ::leitai_game::lang::Say for #name {
            fn to_message(&self) -> ::leitai_game::lang::Message {
                match self { #(#arms)* }
            }
        }
    })
}

/// The arm of a variant: its fields by name, as `#[error]` uses them, and their message.
fn write_arm(
    path: &Tokens,
    fields: &Fields,
    attributes: &[syn::Attribute],
    at: Span,
) -> syn::Result<Tokens> {
    let pattern = match fields {
        Fields::Named(fields) => {
            let names = fields.named.iter().map(|field| &field.ident);
            quote!(#path { #(#names),* })
        }
        Fields::Unnamed(fields) => {
            let names = (0..fields.unnamed.len()).map(|index| format_ident!("_{index}"));
            quote!(#path(#(#names),*))
        }
        Fields::Unit => path.clone(),
    };
    let attribute = attributes
        .iter()
        .find(|attribute| attribute.path().is_ident("error"));
    let attribute = attribute.ok_or_else(|| Error::new(at, "it has no #[error(\"…\")]"))?;
    if attribute
        .parse_args::<syn::Ident>()
        .is_ok_and(|word| word == "transparent")
    {
        let inner = match fields {
            Fields::Named(fields) => fields.named.first().and_then(|field| field.ident.clone()),
            _ => Some(format_ident!("_0")),
        };
        let value = sentence::to_value(&quote!(#inner));
        return Ok(quote!(#pattern => ::leitai_game::lang::Message::from(#value),));
    }
    let message = attribute.parse_args::<Sentence>()?.to_message()?;
    Ok(quote!(#pattern => #message,))
}
