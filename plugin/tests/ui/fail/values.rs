#![allow(unused)]

use toolrack_plugin::tool;

/// A.
#[tool(timeout = "soon")]
fn a() {}

/// B.
#[tool(timeout = arg("secs"))]
fn b(seconds: f64) {}

/// C.
#[tool(parallel_key("path"))]
fn c() {}

/// D.
#[tool(examples(r#"{"nme": 1}"#))]
fn d(name: String) {}

/// E.
#[tool(examples("[1]"))]
fn e() {}

/// F.
#[tool(max_result_size_chars = "much")]
fn f() {}

/// G.
#[tool(requires_env("A|"))]
fn g() {}

/// H.
#[tool(toolset = "a", toolset = "b")]
fn h() {}

/// I.
#[tool(hints("just text"))]
fn i() {}

/// J.
#[tool(max_concurrent = 0)]
fn j() {}

fn main() {}
