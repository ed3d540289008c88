//! Names that were probably meant to be `register_tools`.

use toolrack_abi::SYMBOL;

use super::verdict::{Finding, printable};
use crate::Code;

/// The nearest of the names offered.
#[derive(Default)]
pub(super) struct Near {
    best: Option<(usize, String)>,
}

impl Near {
    /// Considers an exported name. Of equally near ones the first in the alphabet is kept, so that the order of a
    /// table does not matter.
    pub(super) fn offer(&mut self, name: &[u8]) {
        let Some(distance) = distance(name) else { return };
        let name = printable(name);
        if self.best.as_ref().is_none_or(|best| (distance, &name) < (best.0, &best.1)) {
            self.best = Some((distance, name));
        }
    }

    pub(super) fn finding(self) -> Option<Finding> {
        let (_, name) = self.best?;
        let reason = if name == SYMBOL {
            format!("`{SYMBOL}` is in its symbol table, but the system does not find it there")
        } else {
            format!("exports `{name}`, not `{SYMBOL}`")
        };
        Some(Finding::new(
            Code::T4004,
            reason,
            "if it is meant as a plugin, let `export_tools!` write the symbol",
        ))
    }
}

/// The hint of a library that uses the symbol of another.
pub(super) fn imported() -> Finding {
    Finding::new(
        Code::T4003,
        format!("`{SYMBOL}` is imported from another library, not defined here"),
        "if it is meant as a plugin, link the code that has `export_tools!` into it",
    )
}

/// How far a name is from the right one, if it is near: mangled, in another spelling, or up to two letters off.
fn distance(name: &[u8]) -> Option<usize> {
    if name.len() > 256 {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?;
    // The length before a name is how C++ and Rust mangle it.
    if name.contains("14register_tools") {
        return Some(1);
    }
    if name.len().abs_diff(SYMBOL.len()) > 4 {
        return None;
    }
    let fold = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let distance = strsim::osa_distance(&fold(name), &fold(SYMBOL));
    (distance <= 2).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_spelling_is_near_and_another_word_is_not() {
        for near in
            ["register_tool", "registerTools", "_register_tools", "REGISTER_TOOLS", "_Z14register_toolsv"]
        {
            assert!(distance(near.as_bytes()).is_some(), "{near}");
        }
        for far in ["register_task", "unregister_tools_all", "register", "tools", "deregister"] {
            assert!(distance(far.as_bytes()).is_none(), "{far}");
        }
    }

    #[test]
    fn the_nearest_name_wins_whatever_the_order() {
        let names: [&[u8]; 3] = [b"registertool", b"registerTools", b"registre_tols"];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut near = Near::default();
            order.into_iter().for_each(|index| near.offer(names[index]));
            assert!(near.finding().unwrap().reason.contains("registerTools"));
        }
    }
}
