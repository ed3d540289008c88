use toolrack_plugin::{Tool, ToolMeta, args, export_tools};

struct Raw;

#[args]
struct Nothing {}

impl Tool for Raw {
    const META: ToolMeta = ToolMeta::new("raw", "  ");
    type Args = Nothing;
}

export_tools![Raw];

fn main() {}
