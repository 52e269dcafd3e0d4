//! A sentence as `format!` takes it: literal, placeholders, arguments.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, LitStr, Token};

type Arguments = Punctuated<Argument, Token![,]>;

/// The literal and its arguments.
pub(crate) struct Sentence {
    literal: LitStr,
    arguments: Arguments,
}

/// An argument, with its name if it has one.
pub(crate) struct Argument {
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Sentence {
    fn parse(input: ParseStream<'_>) -> syn::Result<Sentence> {
        let mut literal: LitStr = input.parse()?;
        // A macro may put a sentence together.
        while input.peek(LitStr) {
            let more: LitStr = input.parse()?;
            literal = LitStr::new(&(literal.value() + &more.value()), literal.span());
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let arguments = Arguments::parse_terminated(input)?;
        Ok(Sentence { literal, arguments })
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Argument> {
        let is_named = input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if is_named {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        let value = input.parse()?;
        Ok(Argument { name, value })
    }
}

/// A piece of the literal.
enum Piece {
    Fixed(String),
    /// The argument and how to write it: `x`, `:?`.
    Value(String, String),
}

impl Sentence {
    /// The code that makes the message.
    pub(crate) fn to_message(&self) -> syn::Result<Tokens> {
        let (mut id, mut values, mut next) = (String::new(), Vec::<Vec<Tokens>>::new(), 0);
        for piece in self.pieces()? {
            match piece {
                Piece::Fixed(text) => id.push_str(&text),
                Piece::Value(name, how) => {
                    let value = self.value(&name, &how, &mut next)?;
                    match values.last_mut().filter(|_| id.ends_with("{}")) {
                        Some(together) => together.push(value),
                        None => {
                            id.push_str("{}");
                            values.push(vec![value]);
                        }
                    }
                }
            }
        }
        let values = values.iter().map(|together| match &together[..] {
            [one] => one.clone(),
            all => {
                let id = "{}".repeat(all.len());
                quote!(::leitai_game::lang::Message::new(#id, ::std::vec![#(#all),*]).into())
            }
        });
        Ok(quote!(::leitai_game::lang::Message::new(#id, ::std::vec![#(#values),*])))
    }

    /// The pieces of the literal.
    fn pieces(&self) -> syn::Result<Vec<Piece>> {
        let text = self.literal.value();
        let (mut all, mut fixed, mut chars) = (Vec::new(), String::new(), text.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                '{' | '}' if chars.next_if_eq(&c).is_some() => fixed.push(c),
                '{' => {
                    let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                    let (name, how) = inside.split_once(':').unwrap_or((&inside, ""));
                    all.push(Piece::Fixed(std::mem::take(&mut fixed)));
                    all.push(Piece::Value(name.to_owned(), how.to_owned()));
                }
                c => fixed.push(c),
            }
        }
        all.push(Piece::Fixed(fixed));
        let is_slot = |piece: &Piece| matches!(piece, Piece::Fixed(text) if text.contains("{}"));
        if all.iter().any(is_slot) {
            return Err(Error::new(
                self.literal.span(),
                "a message cannot contain {}: it is a value",
            ));
        }
        Ok(all)
    }

    /// The code of a value.
    fn value(&self, name: &str, how: &str, next: &mut usize) -> syn::Result<Tokens> {
        let missing = || {
            Error::new(
                self.literal.span(),
                format!("there is no argument {{{name}}}"),
            )
        };
        let named = |wanted: &Argument| wanted.name.as_ref().is_some_and(|own| own == name);
        let value = if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            let index = name.parse().unwrap_or_else(|_| {
                *next += 1;
                *next - 1
            });
            match self.arguments.get(index).map(|argument| &argument.value) {
                Some(value) => quote!(#value),
                // A field of a tuple, in thiserror's words.
                None if self.arguments.is_empty() && !name.is_empty() => {
                    let field = Ident::new(&format!("_{name}"), self.literal.span());
                    quote!(#field)
                }
                None => return Err(missing()),
            }
        } else if let Some(argument) = self.arguments.iter().find(|argument| named(argument)) {
            let value = &argument.value;
            quote!(#value)
        } else {
            let variable = Ident::new(name, self.literal.span());
            quote!(#variable)
        };
        if how.is_empty() {
            return Ok(to_value(&value));
        }
        let format = format!("{{:{how}}}");
        Ok(quote!(::leitai_game::lang::Value::from(
            ::std::format!(#format, #value)
        )))
    }
}

/// The code that makes a value of an expression: a message if it is one, else its text.
pub(crate) fn to_value(expression: &Tokens) -> Tokens {
    quote!({
        #[allow(unused_imports)]
        use ::leitai_game::lang::{SaidValue as _, ShownValue as _};
        (&::leitai_game::lang::Shown(&(#expression))).value()
    })
}
