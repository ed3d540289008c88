//! A tool that waits: how does a future cross into the library, and whose runtime polls it?

use std::time::Duration;

use toolrack_plugin::{Context, ToolError, export_tools, tool};

/// Waits, and tells how far it is.
#[tool(read_only, parallel_safe, timeout = arg("seconds"))]
async fn wait(
    ctx: &Context<'_>,
    /// How long, in seconds.
    #[schemars(range(min = 0.0, max = 60.0))]
    seconds: f64,
) -> Result<String, ToolError> {
    let whole =
        Duration::try_from_secs_f64(seconds).map_err(|e| ToolError::invalid_arguments(e.to_string()))?;
    for tenth in 1..=10 {
        // The plugin's own runtime (feature `tokio`): the host has none, and needs none.
        tokio::time::sleep(whole / 10).await;
        ctx.progress(f64::from(tenth), 10.0, "waiting");
    }
    Ok(format!("waited {seconds} s"))
}

export_tools! { name = "waiting", tools = [wait] }
