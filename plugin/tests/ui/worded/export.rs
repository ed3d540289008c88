use toolrack_plugin::export_tools;

fn plain() {}

export_tools![plain];

fn main() {}
