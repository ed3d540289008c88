#![allow(unused)]

use toolrack_plugin::{Context, tool};

/// A.
#[tool]
fn a(#[defualt(1)] n: u32) {}

/// B.
#[tool]
fn b((x, y): (u32, u32)) {}

/// C.
#[tool]
fn c(ctx: Context<'_>) {}

/// D.
#[tool]
fn d(#[default(1)] ctx: &Context) {}

/// E.
#[tool]
fn e(ctx: &mut Context) {}

fn main() {}
