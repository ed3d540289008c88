//! What stands in the bytes of a plugin that the system's loader would refuse, or should not be asked to do.

use super::image::{Format, Image, Links, Stack};
use super::target::{Libc, Target};
use super::verdict::Finding;
use crate::Code;

/// The first reason why `target`'s loader can not load an image that is built for it.
pub(super) fn refuses(target: &Target, image: &Image) -> Option<Finding> {
    if image.format != Some(Format::Elf) {
        return None;
    }
    let links = &image.links;
    newer_libc(target, links)
        .or_else(|| executable_stack(target, links))
        .or_else(|| other_libc(target, links))
        .or_else(|| newer_processor(target, links))
}

fn newer_libc(target: &Target, links: &Links) -> Option<Finding> {
    let (Some(Libc::Glibc(Some(host))), Some(needed)) = (target.libc, links.glibc) else { return None };
    (needed > host).then(|| {
        Finding::new(
            Code::T3002,
            format!("needs GLIBC_{}.{}, this host has {}.{}", needed.0, needed.1, host.0, host.1),
            "build the plugin on a system as old as this one",
        )
    })
}

fn executable_stack(target: &Target, links: &Links) -> Option<Finding> {
    let reason = match links.stack {
        Stack::Plain => return None,
        Stack::Executable => "asks for an executable stack",
        // musl never makes the stack executable; elsewhere saying nothing asks for it.
        Stack::Unsaid if target.libc == Some(Libc::Musl) => return None,
        Stack::Unsaid => "does not say that it needs no executable stack, which asks for one",
    };
    Some(Finding::new(
        Code::T3004,
        reason,
        "link it with `-z noexecstack`; an assembly file lacks a `.note.GNU-stack` section",
    ))
}

fn other_libc(target: &Target, links: &Links) -> Option<Finding> {
    let (built, host) = match target.libc? {
        Libc::Glibc(_) if links.musl => ("musl", "glibc"),
        // musl answers for `libc.so.6` by name, but not for glibc's versioned symbols.
        Libc::Musl if links.glibc.is_some() && !links.musl => ("glibc", "musl"),
        _ => return None,
    };
    Some(Finding::new(
        Code::T3006,
        format!("built for {built}, this host runs on {host}"),
        format!("build the plugin for a target with {host}"),
    ))
}

fn newer_processor(target: &Target, links: &Links) -> Option<Finding> {
    let (host, needed) = (target.x86_level?, links.x86_level?);
    (needed > host).then(|| {
        Finding::new(
            Code::T3008,
            format!("needs an x86-64-v{needed} processor, this one is v{host}"),
            "build the plugin for an older processor (`-C target-cpu=x86-64`)",
        )
    })
}
