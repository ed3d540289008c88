#![allow(unused)]

toolrack_plugin::export_tools![];

fn main() {}
