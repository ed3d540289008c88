//! The terminal tools.
#![allow(dead_code)]
mod budget;
mod config;
mod directory;
mod environment;
mod group;
mod meaning;
mod output;
mod reader;
mod report;
mod run;
mod shell;
mod terminal;

#[cfg(test)]
mod tests {
    mod directory;
    mod output;
    #[cfg(target_os = "linux")]
    mod run;
    #[cfg(unix)]
    mod terminal;
}
