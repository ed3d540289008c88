//! Results that are too large.

use super::*;
use crate::OutputKind;

fn sized(chars: usize) -> impl Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static {
    let line = format!("{}\n", "é".repeat(79));
    let text: String = line.chars().cycle().take(chars).collect();
    move |_, _| Ok(Output::text(text.as_str()))
}

/// A table whose large results go into a folder.
fn spilling(table: Table) -> (Registry, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spill");
    (table.policy(|policy| policy.budget.spill = Some(path)).ready(), folder)
}

fn only_file(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(folder.path().join("spill")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

fn with_reader(table: Table) -> Table {
    table.tool("read_file", &free(), |_, _| Ok(Output::text("")))
}

#[test]
fn a_result_of_100_000_characters_is_shown_whole_and_one_more_is_not() {
    let (registry, folder) = spilling(with_reader(Table::new().tool("big", &free(), sized(100_000))));
    assert_eq!(text(&registry, "big", "{}").chars().count(), 100_000);
    assert!(!folder.path().join("spill").exists());

    let (registry, folder) = spilling(with_reader(Table::new().tool("big", &free(), sized(100_001))));
    let shown = text(&registry, "big", "{}");
    let file = only_file(&folder);
    assert!(
        shown.starts_with("[The result has 100001 characters, more than the 100000 that are shown at once.")
    );
    assert!(shown.contains(file.to_str().unwrap()), "{shown}");
    let (_, preview) = shown.split_once("\n\n").unwrap();
    let (head, tail) = preview.split_once("\n[... ").unwrap();
    let (_, tail) = tail.split_once("left out ...]\n").unwrap();
    assert!(head.chars().count() + tail.chars().count() <= 1_500);
    assert!(head.chars().count() > 900 && head.ends_with('é'));
    assert_eq!(std::fs::read_to_string(&file).unwrap().chars().count(), 100_001);
}

#[cfg(unix)]
#[test]
fn a_spill_file_is_readable_by_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;

    let (registry, folder) = spilling(Table::new().tool("big", &free(), sized(200_000)));
    text(&registry, "big", "{}");
    let file = only_file(&folder);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(folder.path().join("spill").metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_spill_file_of_json_has_real_line_breaks() {
    let output: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
    let json = json!({"exit": 0, "output": output}).to_string();
    let (registry, folder) =
        spilling(Table::new().tool("run", &free(), move |_, _| Ok(Output::json(json.as_str()))));
    let answer = registry.call_inline("run", "{}", &Call::new());
    assert_eq!(answer.kind, OutputKind::Text);
    let kept = std::fs::read_to_string(only_file(&folder)).unwrap();
    assert!(kept.lines().any(|line| line == "line 777"));
    assert!(answer.as_str().contains("\nline 7\n"));
}

#[test]
fn a_caller_without_read_file_gets_no_path() {
    let table = Table::new().tool("big", &free(), sized(200_000)).tool("read_file", &free(), sized(1));
    let (registry, folder) = spilling(table);
    let session = registry.session(&Selection::only(["big"]));
    let shown = session.call_inline("big", "{}", &Call::new()).into_string();
    assert!(!shown.contains(folder.path().to_str().unwrap()), "{shown}");
    assert!(shown.contains("Ask for less at a time."));
    let session = registry.session(&Selection::only(["big", "read_file"]));
    let shown = session.call_inline("big", "{}", &Call::new()).into_string();
    assert!(shown.contains(folder.path().to_str().unwrap()), "{shown}");
}

#[test]
fn without_a_folder_or_with_one_that_cannot_be_written_the_rest_is_left_out() {
    let registry = Table::new().tool("big", &free(), sized(200_000)).ready();
    assert!(text(&registry, "big", "{}").contains("Ask for less at a time."));
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_owned();
    let registry = with_reader(Table::new().tool("big", &free(), sized(200_000)))
        .policy(|p| p.budget.spill = Some(path))
        .ready();
    assert!(text(&registry, "big", "{}").contains("Ask for less at a time."));
}

#[test]
fn r19_the_tools_own_limit_holds_up_to_the_default_and_unlimited_up_to_the_hard_cap() {
    let limited =
        |limit: Value| json!({"name": "big", "schema": {"type": "object"}, "max_result_size_chars": limit});
    for (limit, size, is_whole) in [
        (json!(50), 50, true),
        (json!(50), 51, false),
        (json!(500_000), 100_001, false),
        (json!("unlimited"), 1_999_999, true),
        (json!("unlimited"), 2_000_001, false),
    ] {
        let registry = Table::new().described(&limited(limit.clone()), sized(size)).ready();
        let shown = text(&registry, "big", "{}");
        assert_eq!(!shown.starts_with("[The result has"), is_whole, "{limit} {size}");
    }
}

#[test]
fn errors_are_not_spilled_and_their_extras_pass_whole() {
    let output = "x".repeat(50_000);
    let table = Table::new().tool("late", &free(), move |_, _| {
        tool_error("e".repeat(150_000), [("error_type", json!("timeout")), ("output", json!(output))])
    });
    let (registry, folder) = spilling(table);
    let answer = registry.call_inline("late", "{}", &Call::new());
    let object: Value = serde_json::from_str(answer.as_str()).unwrap();
    assert_eq!(object["error_type"], "timeout");
    assert_eq!(object["output"].as_str().unwrap().len(), 50_000);
    assert!(object["error"].as_str().unwrap().chars().count() <= 2_048);
    assert!(!folder.path().join("spill").exists());
}

#[test]
fn a_nested_call_gets_the_result_itself() {
    let (registry, folder) = spilling(Table::new().tool("big", &free(), sized(200_000)));
    let call = Call::new();
    let live = ActiveCall::new(&call, Door::Host(&registry)).to_live();
    assert_eq!(call_nested(&live, "big", "{}").as_str().chars().count(), 200_000);
    assert!(!folder.path().join("spill").exists());
}

#[test]
fn in_blocks_text_counts_and_images_stand_apart() {
    let blocks = |text: usize, image: usize| {
        json!([{"type": "text", "text": "t".repeat(text)}, {"type": "image", "mimeType": "image/png", "data": "A".repeat(image)}])
            .to_string()
    };
    let shown = |text: usize, image: usize| -> Value {
        let mut output = Output::json(blocks(text, image));
        output.kind = OutputKind::Blocks;
        let registry = Table::new().tool("shot", &free(), move |_, _| Ok(output.clone())).ready();
        let answer = registry.call_inline("shot", "{}", &Call::new());
        assert_eq!(answer.kind, OutputKind::Blocks);
        serde_json::from_str(answer.as_str()).unwrap()
    };
    assert_eq!(
        shown(100_000, 1_000_000),
        serde_json::from_str::<Value>(&blocks(100_000, 1_000_000)).unwrap()
    );
    let long = shown(100_001, 1_000_000);
    assert!(long[0]["text"].as_str().unwrap().starts_with("[The result has 100001 characters"));
    assert_eq!(long[1]["data"].as_str().unwrap().len(), 1_000_000);
    let heavy = shown(10, 8_000_000);
    assert_eq!(heavy[0]["text"], "tttttttttt");
    assert!(heavy[1]["text"].as_str().unwrap().contains("6000000 bytes"), "{}", heavy[1]);
}

#[test]
fn a_result_of_50_mb_costs_a_preview() {
    let registry = Table::new().tool("big", &free(), sized(50_000_000)).ready();
    assert!(text(&registry, "big", "{}").len() < 10_000);
}
