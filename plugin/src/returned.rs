//! Turns whatever a function under `#[tool]` returns into an [`Output`].
//!
//! The expansion knows the value, but not its type, so that the compiler's method lookup chooses: a method of
//! [`Returned<String>`] is found before one of a trait for every `Returned<T>`.
#![expect(missing_docs, reason = "nobody but the expansion of `#[tool]` calls them")]

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{Answer, Blocks, Output, ToolError};

/// Stands for a type that was returned.
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    pub const fn new() -> Self {
        Returned(PhantomData)
    }

    pub const fn of(_value: &T) -> Self {
        Returned(PhantomData)
    }
}

impl<T> Default for Returned<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The error of what is no `Result`. Never made.
pub struct NoError(std::convert::Infallible);

/// First question: is it a `Result`?
impl<T, E> Returned<Result<T, E>> {
    pub fn split(self, value: Result<T, E>) -> Result<T, E> {
        value
    }

    pub fn good(self) -> Returned<T> {
        Returned::new()
    }
}

pub trait SplitAny<T>: Sized {
    fn split(self, value: T) -> Result<T, NoError> {
        Ok(value)
    }

    fn good(self) -> Returned<T> {
        Returned::new()
    }
}

impl<T> SplitAny<T> for Returned<T> {}

/// Second question: what is the good value?
macro_rules! texts {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $type:ty: |$value:ident| $output:expr;)*) => { $(
        impl<$($generics)*> Returned<$type> {
            pub fn output(self, $value: $type) -> Result<Output, ToolError> {
                $output
            }

            pub fn schema(self) -> Option<Value> {
                None
            }
        }
    )* };
}

texts! {
    [] String: |text| Ok(Output::text(text));
    ['a] &'a str: |text| Ok(Output::text(text));
    ['a] Cow<'a, str>: |text| Ok(Output::text(text));
    [] Box<str>: |text| Ok(Output::text(text));
    [] (): |_unit| Ok(Output::text(""));
    [] Blocks: |blocks| Output::blocks(&blocks);
    [] Output: |output| Ok(output);
    [] Answer: |answer| Ok(answer.into_output());
}

pub trait OutputAny<T>: Sized {
    fn output(self, value: T) -> Result<Output, ToolError>
    where
        T: Serialize,
    {
        Output::json(&value)
    }
}

impl<T> OutputAny<T> for Returned<T> {}

/// Beside it: is the type's schema known?
pub trait SchemaKnown: Sized {
    fn schema(self) -> Option<Value>;
}

impl<T: JsonSchema> SchemaKnown for Returned<T> {
    fn schema(self) -> Option<Value> {
        crate::schema::output_schema::<T>()
    }
}

pub trait SchemaUnknown: Sized {
    fn schema(self) -> Option<Value> {
        None
    }
}

impl<T> SchemaUnknown for &Returned<T> {}

/// Third question: what is the error?
impl Returned<ToolError> {
    pub fn error(self, error: ToolError) -> ToolError {
        error
    }
}

impl Returned<NoError> {
    pub fn error(self, error: NoError) -> ToolError {
        match error.0 {}
    }
}

pub trait ErrorAny<E>: Sized {
    fn error(self, error: E) -> ToolError
    where
        E: Display,
    {
        ToolError::of(&error)
    }
}

impl<E> ErrorAny<E> for Returned<E> {}

/// What a check may return: `bool`, or a `Result` whose error says why not.
#[diagnostic::on_unimplemented(
    message = "a check returns `bool` or `Result<(), E>` with an `E` that can be displayed, not `{Self}`"
)]
pub trait CheckAnswer {
    /// Why the tool can not be used, if it can not.
    fn into_reason(self) -> Result<(), String>;
}

impl CheckAnswer for bool {
    fn into_reason(self) -> Result<(), String> {
        if self { Ok(()) } else { Err("not available now".to_owned()) }
    }
}

impl<E: Display> CheckAnswer for Result<(), E> {
    fn into_reason(self) -> Result<(), String> {
        self.map_err(|error| format!("{error:#}"))
    }
}

/// What overrides may return: a JSON object of the changed keys, or nothing, or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "overrides return `Value`, `Option<Value>` or a `Result` of one of these, not `{Self}`"
)]
pub trait OverridesAnswer {
    /// The changed keys, or why they are not known.
    fn into_overrides(self) -> Result<Option<Value>, String>;
}

impl OverridesAnswer for Value {
    fn into_overrides(self) -> Result<Option<Value>, String> {
        Ok(Some(self))
    }
}

impl OverridesAnswer for Option<Value> {
    fn into_overrides(self) -> Result<Option<Value>, String> {
        Ok(self)
    }
}

impl<T: OverridesAnswer, E: Display> OverridesAnswer for Result<T, E> {
    fn into_overrides(self) -> Result<Option<Value>, String> {
        self.map_err(|error| format!("{error:#}"))?.into_overrides()
    }
}
