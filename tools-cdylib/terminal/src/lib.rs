//! The terminal tools.
#![allow(dead_code)]
mod budget;
mod call;
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

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    mod call;
    mod directory;
    mod output;
    #[cfg(target_os = "linux")]
    mod run;
}
