//! `leitai mcp`: the door for coding agents over stdio. `local_tools` check, play and analyse on this
//! machine, `arena` asks the arena of `leitai login`; documents and the arena's tools are those of the
//! server's `/mcp`.

mod arena;
mod local_tools;
mod own_command;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use leitai_game::GameHandle;
use leitai_server::mcp::arena_tools::{ARENA_TOOLS, call_arena_tool};
use leitai_server::mcp::handler::{AgentServer, Door, ToolCall};
use leitai_server::mcp::tool::Tool;
use rmcp::ServiceExt;
use serde_json::Value;

use crate::lang::Localizer;
use arena::LoggedInArena;
use local_tools::{LOCAL_TOOLS, call_local_tool};

const INSTRUCTIONS: &str = "Bots for game-playing programs, on this machine and in an arena. Read games.md, then \
    rules/GAME.md and guides/GAME.md. new_bot writes a bot to start from; check, play, analyse, compare and rate work on \
    files of this machine and ask nobody; submit, challenge, ladder, matches and match_report ask the arena of `leitai \
    login`. A good loop: change the bot, check, play against a stronger built-in bot, analyse the replay of a loss.";

/// Serves an agent over stdin and stdout until it closes them.
pub fn run(lang: Localizer) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let door = AgentServer(Arc::new(LocalDoor { lang }));
        let running = door.serve(rmcp::transport::stdio()).await;
        let running = running.context(lang.label(
            "no agent spoke the Model Context Protocol on stdin; agents start this command themselves (docs/agents.md)",
        ))?;
        running.waiting().await.context("the door was closed")
    });
    // A read of stdin may still wait on a thread of its own.
    runtime.shutdown_background();
    served.map(|_| ExitCode::SUCCESS)
}

/// The tools of this machine.
struct LocalDoor {
    lang: Localizer,
}

impl Door for LocalDoor {
    fn instructions(&self) -> &'static str {
        INSTRUCTIONS
    }

    fn games(&self) -> Arc<[GameHandle]> {
        leitai_games::ALL
            .iter()
            .map(|game| GameHandle::from(*game))
            .collect()
    }

    fn tools(&self) -> Vec<&'static Tool> {
        LOCAL_TOOLS.into_iter().chain(ARENA_TOOLS).collect()
    }

    async fn call(&self, call: ToolCall) -> Result<Value, String> {
        let arena = LoggedInArena { lang: self.lang };
        let (name, cancelled) = (call.tool.name, call.context.ct);
        match LOCAL_TOOLS.iter().any(|tool| tool.name == name) {
            true => call_local_tool(&arena, name, &call.arguments, cancelled.cancelled()).await,
            false => call_arena_tool(&arena, name, &call.arguments).await,
        }
    }
}
