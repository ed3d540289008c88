//! A plugin in the test's own process, driven through its one symbol as a host does.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "a test is no library")]

#[path = "../support/host.rs"]
mod host;
mod tools;

// What is described: schemas, hints, the manifest.
mod described;
// What goes in and comes out of calls.
mod calls;
// What the context and the host behind it give.
mod contexts;
// Every way out that a panic can take.
mod panics;
// Instances, state, sessions and the end.
mod life;

toolrack_plugin::export_tools! {
    name = "demo",
    end_session = tools::end_session,
    retire = tools::retire,
    tools = [
        tools::hello, tools::text, tools::fixed, tools::cow, tools::unit, tools::record, tools::numbers, tools::blocks,
        tools::both, tools::good, tools::bad, tools::bad_io, tools::bad_text, tools::relay, tools::bad_box, tools::bad_alias, tools::nameless, tools::unwritable,
        tools::search, tools::filter, tools::pick, tools::keyword, tools::everything, tools::waits, tools::asks,
        tools::ids, tools::count, tools::panics, tools::panics_with_trap, tools::panics_later, tools::panics_first,
        tools::error_panics, tools::caught, tools::future_trap, tools::unwritable_panics,
        tools::Adder::new(), tools::Lazy::new(), tools::Clumsy::new(), tools::TrapTool::new(), tools::Unit, tools::arm,
        tools::AsyncAdder { start: 10 }, tools::Raw,
    ]
}

/// A registration of its own.
fn demo() -> host::Registered {
    host::register(register_tools.root())
}
