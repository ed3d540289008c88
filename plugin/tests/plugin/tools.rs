//! The plugin's tools: one of each kind.

use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use toolrack_plugin::serde::Serializer;
use toolrack_plugin::{
    Answer, Blocks, Context, Host, Output, Tool, ToolError, ToolMeta, Value, args, json, output, tool,
};

/// Says hello.
///
/// More of the description.
#[tool(read_only, toolset = "greet", emoji = "👋", title = "Hello")]
pub fn hello(
    /// Whom to greet.
    name: String,
    /// How often.
    #[default(1)]
    times: u32,
    /// A suffix.
    suffix: Option<String>,
) -> String {
    format!("hello {name}{}", suffix.unwrap_or_default()).repeat(times as usize)
}

/// A text as it is, \ and "so on"
#[tool]
pub fn text(text: String) -> String {
    text
}

/// Text.
#[tool]
pub fn fixed() -> &'static str {
    "fixed"
}

/// Text.
#[tool]
pub fn cow() -> Cow<'static, str> {
    "moo".into()
}

/// Nothing.
#[tool]
pub fn unit() {}

#[output]
pub struct Record {
    /// How many.
    pub n: u32,
}

/// A record.
#[tool]
pub fn record() -> Record {
    Record { n: 3 }
}

/// A list.
#[tool]
pub fn numbers() -> Vec<u8> {
    vec![1, 2]
}

/// Blocks.
#[tool]
pub fn blocks() -> Blocks {
    Blocks::new().text("t").image("image/png", b"foo")
}

/// Text, and a value.
#[tool]
pub fn both() -> Result<Output, ToolError> {
    Ok(Output::text("one line").with_structured(&json!({"lines": 1}))?.with_meta("took", 5))
}

/// Good.
#[tool]
pub fn good() -> Result<Option<Record>, String> {
    Ok(Some(Record { n: 1 }))
}

/// Fails in full.
#[tool]
pub fn bad() -> Result<(), ToolError> {
    Err(ToolError::new("not now").with_kind("Busy").with_error_type("unavailable").with("retry_after", 3))
}

/// Fails by `?`.
#[tool]
pub fn bad_io() -> Result<String, ToolError> {
    Ok(std::fs::read_to_string("/nowhere/at/all")?)
}

/// Fails in words.
#[tool]
pub fn bad_text() -> Result<u8, String> {
    Err("just words".to_owned())
}

/// Fails in a box.
#[tool]
pub async fn bad_box() -> Result<String, Box<dyn std::error::Error>> {
    Err("boxed".into())
}

/// Fails under another name.
#[tool]
pub fn bad_alias() -> std::io::Result<String> {
    Err(std::io::Error::other("by alias"))
}

/// A value that has no name.
#[tool]
pub fn nameless() -> Result<impl toolrack_plugin::serde::Serialize, String> {
    Ok([Some(1), None])
}

/// Fails as another tool does, or answers as it does.
#[tool]
pub fn relay(ctx: &Context, name: String) -> Result<Answer, ToolError> {
    ctx.call_tool(&name, &json!({"a": 1}))
}

/// A map without texts as keys.
#[tool]
pub fn unwritable() -> std::collections::BTreeMap<Vec<u8>, u8> {
    [(vec![1], 2)].into()
}

#[args]
pub struct Search {
    /// What to look for.
    pub pattern: String,
    #[default(50)]
    pub limit: u32,
    pub place: Option<Place>,
}

#[args]
pub struct Place {
    pub path: PathBuf,
    #[default]
    pub depth: u8,
}

/// Searches.
#[tool(parallel_key("pattern"), timeout = arg("limit"))]
pub fn search(#[args] search: Search) -> String {
    let place = search.place.map(|place| format!(" in {} to {}", place.path.display(), place.depth));
    format!("{} {}{}", search.pattern, search.limit, place.unwrap_or_default())
}

/// Nested.
#[tool]
pub fn filter(
    /// The place.
    place: Place,
    #[default("x")] mark: PathBuf,
    #[schemars(range(min = 1, max = 9))] level: u8,
) -> String {
    format!("{} {} {level}", place.path.display(), mark.display())
}

#[args]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Pick {
    /// The first.
    First,
    /// That one.
    Nth {
        #[default(7)]
        n: u32,
    },
}

/// Picks.
#[tool]
pub fn pick(#[args] pick: Pick) -> u32 {
    match pick {
        Pick::First => 1,
        Pick::Nth { n } => n,
    }
}

/// A keyword, and another name.
#[tool]
pub fn keyword(r#type: String, #[serde(rename = "camelCase")] camel: bool) -> String {
    format!("{} {camel}", r#type)
}

pub fn always(_host: &Host) -> Result<(), String> {
    Ok(())
}

pub fn changed(host: &Host) -> Option<Value> {
    Some(json!({"description": host.plugin()}))
}

/// Has everything.
#[tool(
    name = "every_thing",
    description = concat!("Given", " in brackets."),
    destructive = false,
    idempotent,
    open_world = true,
    parallel_safe,
    max_concurrent = 2,
    timeout = 1.5,
    max_result_size_chars = 5000,
    requires_env("A|B", "C"),
    hints("read_file" => "Read it first.", ["a", "b"] => "Either."),
    examples(r#"{"x": 1}"#),
    check = always,
    check_id = "shared",
    overrides = changed,
    override,
)]
pub fn everything(x: u8) -> u8 {
    x
}

/// Waits once.
#[tool]
pub async fn waits(ctx: &Context<'_>, text: String) -> Result<String, ToolError> {
    Yield(false).await;
    let answer = ctx.call_tool_async("echo", &json!({})).await?;
    Ok(format!("{text} {} {}", ctx.session(), answer.text()))
}

/// Asks for everything.
#[tool]
pub fn asks(ctx: &Context) -> Result<Value, ToolError> {
    #[args]
    struct Config {
        #[default(4)]
        limit: u32,
    }
    ctx.tools_changed()?;
    ctx.notify("s9", &json!({"x": 1}))?;
    ctx.progress(1.0, 2.0, "half");
    let asked: Value = ctx.ask(&json!({"sure": true}))?;
    let refused = ctx.request::<_, Value>("later", &json!({})).unwrap_err();
    Ok(json!({
        "limit": ctx.config::<Config>()?.limit,
        "data": ctx.data_dir()?,
        "origin": ctx.origin()?,
        "spill": ctx.spill_dir().unwrap_err().error_type(),
        "asked": asked,
        "refused": [refused.error_type(), refused.message()],
        "definitions": ctx.definitions(&toolrack_plugin::Selection::new().enabled(["web"]), "mcp")?,
        "mine": ctx.definitions(&toolrack_plugin::Selection::new(), "openai")?,
        "call": ctx.call_tool("echo", &json!({"b": 2}))?.json::<Value>()?,
        "own": ctx.host().call_tool("echo", &json!({}))?.json::<Value>()?["token"],
    }))
}

/// Tells its circumstances.
#[tool]
pub fn ids(ctx: &Context) -> Result<String, ToolError> {
    ctx.check()?;
    Ok(format!(
        "{} {} {} {} {} {} {} {} {}",
        ctx.session(),
        ctx.task(),
        ctx.turn(),
        ctx.call_id(),
        ctx.parent_call(),
        ctx.depth(),
        ctx.may_call("web"),
        ctx.trace_context(),
        ctx.remaining().map_or(0, |left| left.as_millis()),
    ))
}

#[derive(Default)]
pub struct Count(AtomicU32);

impl Drop for Count {
    fn drop(&mut self) {
        COUNTS_DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

pub static COUNTS_DROPPED: AtomicU32 = AtomicU32::new(0);

/// Counts in the registration's state.
#[tool]
pub fn count(ctx: &Context) -> u32 {
    ctx.state::<Count>().0.fetch_add(1, Ordering::SeqCst)
}

/// Panics.
#[tool]
pub fn panics(message: String) -> String {
    panic!("{message}")
}

/// A value whose drop panics, with another of the kind.
struct Trap;

impl Drop for Trap {
    fn drop(&mut self) {
        std::panic::panic_any(Trap2);
    }
}

struct Trap2;

impl Drop for Trap2 {
    fn drop(&mut self) {
        panic!("the second trap");
    }
}

/// Panics with what panics when it is dropped.
#[tool]
pub fn panics_with_trap() {
    std::panic::panic_any(Trap);
}

/// Panics at the second poll.
#[tool]
pub async fn panics_later(message: String) -> String {
    Yield(false).await;
    panic!("{message}")
}

/// Panics at the first poll.
#[tool]
pub async fn panics_first(message: String) -> String {
    panic!("{message}")
}

pub struct Unspeakable;

impl std::fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("no words")
    }
}

/// Its error can not be displayed.
#[tool]
pub fn error_panics() -> Result<(), Unspeakable> {
    Err(Unspeakable)
}

pub struct NoJson;

impl toolrack_plugin::serde::Serialize for NoJson {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("no json")
    }
}

/// Its value panics when it is written.
#[tool]
pub fn unwritable_panics() -> NoJson {
    NoJson
}

/// Catches its own panic.
#[tool]
pub fn caught() -> String {
    let caught = std::panic::catch_unwind(|| panic!("caught by the author"));
    format!("{}", caught.is_err())
}

/// Waits for ever, with a trap in its hands.
#[tool]
pub async fn future_trap() -> String {
    let _trap = LoudDrop;
    std::future::pending().await
}

struct LoudDrop;

impl Drop for LoudDrop {
    fn drop(&mut self) {
        panic!("the future's drop");
    }
}

/// Adds to what it has.
pub struct Adder(Mutex<i64>);

impl Adder {
    pub fn new() -> Self {
        Adder(Mutex::new(0))
    }
}

#[tool(idempotent = false)]
impl Adder {
    /// Adds.
    pub fn call(
        &self,
        ctx: &Context,
        /// How much.
        #[default(1)]
        by: i64,
    ) -> String {
        let mut sum = self.0.lock().unwrap();
        *sum += by;
        format!("{} {sum}", ctx.session())
    }

    fn check(&self) -> Result<(), String> {
        if *self.0.lock().unwrap() < 100 { Ok(()) } else { Err("full".to_owned()) }
    }

    fn overrides(&self, host: &Host) -> Value {
        json!({"description": format!("{} has {}", host.plugin(), self.0.lock().unwrap())})
    }
}

pub static LAZY_MADE: AtomicU32 = AtomicU32::new(0);

/// Counts how often it is made.
pub struct Lazy;

impl Lazy {
    pub fn new() -> Self {
        LAZY_MADE.fetch_add(1, Ordering::SeqCst);
        Lazy
    }
}

/// Is made when it is needed.
#[tool]
impl Lazy {
    fn call(&self) -> u32 {
        LAZY_MADE.load(Ordering::SeqCst)
    }
}

pub static CLUMSY_FAILS: AtomicBool = AtomicBool::new(true);

/// Can not be made at first.
pub struct Clumsy;

impl Clumsy {
    pub fn new() -> Self {
        assert!(!CLUMSY_FAILS.swap(false, Ordering::SeqCst), "not made at first");
        Clumsy
    }
}

/// Answers at last.
#[tool]
impl Clumsy {
    fn call(&self) -> &'static str {
        "made"
    }
}

/// Panics wherever it can.
pub struct TrapTool(LoudTool);

pub struct LoudTool;

impl Drop for LoudTool {
    fn drop(&mut self) {
        panic!("the tool's drop");
    }
}

impl TrapTool {
    pub fn new() -> Self {
        TrapTool(LoudTool)
    }
}

/// Works, but for its check, its overrides and its drop.
#[tool]
impl TrapTool {
    fn call(&self) -> &'static str {
        let _held = &self.0;
        "works"
    }

    fn check(&self) -> bool {
        panic!("the check")
    }

    fn overrides(&self) -> Value {
        panic!("the overrides")
    }
}

/// A unit struct.
pub struct Unit;

/// A tool without fields.
#[tool(name = "unit_struct")]
impl Unit {
    fn call(&self) -> u8 {
        1
    }

    fn check(&self) -> bool {
        false
    }
}

pub struct AsyncAdder {
    pub start: u32,
}

/// Adds, later.
#[tool]
impl AsyncAdder {
    async fn call(&self, by: u32) -> Result<u32, ToolError> {
        Yield(false).await;
        Ok(self.start + by)
    }
}

/// The trait by hand.
pub struct Raw;

#[args]
pub struct RawArgs {
    pub n: u32,
}

impl Tool for Raw {
    const META: ToolMeta = ToolMeta::new("raw", "By hand.").is_async(true);
    type Args = RawArgs;

    async fn call_async(&self, ctx: &Context<'_>, args: RawArgs) -> Result<Output, ToolError> {
        Yield(false).await;
        Output::json(&json!({"n": args.n, "task": ctx.task()}))
    }
}

/// Lets the others go first, once.
pub struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    }
}

pub fn end_session(host: &Host, session: &str) {
    assert_ne!(session, "panic", "the session's end");
    let _told = host.notify(session, &json!({"ended": true}));
}

#[derive(Default)]
pub struct PanicAtRetire(pub AtomicBool);

/// Lets the retire hook panic.
#[tool]
pub fn arm(ctx: &Context) {
    ctx.state::<PanicAtRetire>().0.store(true, Ordering::SeqCst);
}

pub fn retire(host: &Host) {
    let _told = host.notify("retire", &json!({}));
    assert!(!host.state::<PanicAtRetire>().0.load(Ordering::SeqCst), "the retire hook");
}
