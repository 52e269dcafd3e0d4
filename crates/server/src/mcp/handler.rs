//! The protocol's side of both doors: what there is, calls of tools, and refusals. A refusal is an answer
//! of the tool that the agent reads, not an error of the protocol, which clients hide from it.

use std::future::ready;
use std::sync::Arc;

use leitai_game::GameHandle;
use leitai_game::clean_text::{Breaks, clean_text};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::documents::{SCHEME, find_document, list_documents};
use super::tool::Kind::Text;
use super::tool::{Arguments, Tool, required};

/// A door: the tools of one place.
pub trait Door: Send + Sync + 'static {
    /// What an agent is told first.
    fn instructions(&self) -> &'static str;
    /// The games whose documents there are.
    fn games(&self) -> Arc<[GameHandle]>;
    /// The tools besides `read_document`.
    fn tools(&self) -> Vec<&'static Tool>;
    /// Calls one of them.
    fn call(&self, call: ToolCall) -> impl Future<Output = Result<Value, String>> + Send;
}

/// A call of a tool.
pub struct ToolCall {
    /// The tool.
    pub tool: &'static Tool,
    /// Its arguments, which are what the tool says.
    pub arguments: Arguments,
    /// What came with the request, over HTTP its head, and whether the agent no longer waits.
    pub context: RequestContext<RoleServer>,
}

/// Reads a document where a client has no resources.
static READ_DOCUMENT: Tool = Tool {
    name: "read_document",
    about: "Read a document: games.md (the list of games), protocols.md, http-api.md, rules/GAME.md, \
            guides/GAME.md, templates/GAME/main.py. The same as the resources.",
    reads_only: true,
    parameters: &[required(
        "path",
        Text(200),
        "such as rules/kob.md; list with resources/list",
    )],
};

/// A door as a server of the protocol.
#[derive(Clone)]
pub struct AgentServer<D>(pub Arc<D>);

impl<D: Door> AgentServer<D> {
    fn find_tool(&self, name: &str) -> Option<&'static Tool> {
        if name == READ_DOCUMENT.name {
            return Some(&READ_DOCUMENT);
        }
        self.0.tools().into_iter().find(|tool| tool.name == name)
    }

    fn read(&self, path: &str) -> Result<Value, String> {
        let games = self.0.games();
        let path = path.strip_prefix(SCHEME).unwrap_or(path);
        match find_document(&games, path.trim_start_matches('/')) {
            Some(document) => Ok(Value::String(document.text)),
            None => Err(unknown_document(&games, path)),
        }
    }

    fn name_tools(&self) -> String {
        let names: Vec<&str> = self.0.tools().iter().map(|tool| tool.name).collect();
        format!("{}, {}", READ_DOCUMENT.name, names.join(", "))
    }

    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let Some(tool) = self.find_tool(&request.name) else {
            let name: String = request.name.chars().take(60).collect();
            let tools = self.name_tools();
            return refusal(&format!("there is no tool {name:?}; there are {tools}"));
        };
        let arguments = match tool.read_arguments(request.arguments) {
            Ok(arguments) => arguments,
            Err(why) => return refusal(&why),
        };
        if tool.name == READ_DOCUMENT.name {
            return match self.read(arguments.needed_text("path")) {
                Ok(Value::String(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
                Ok(other) => CallToolResult::structured(other),
                Err(why) => refusal(&why),
            };
        }
        let call = ToolCall {
            tool,
            arguments,
            context,
        };
        match self.0.call(call).await {
            Ok(answer) => CallToolResult::structured(answer),
            Err(why) => refusal(&why),
        }
    }
}

fn unknown_document(games: &[GameHandle], path: &str) -> String {
    let shown: String = path.chars().take(80).collect();
    let ids: Vec<&str> = games.iter().map(|game| game.meta().id).collect();
    let ids = ids.join(", ");
    format!(
        "there is no document {shown:?}; there are games.md, protocols.md, http-api.md and, for {ids}: \
         rules/GAME.md, guides/GAME.md, templates/GAME/FILE"
    )
}

/// The most characters of a refusal.
const WHY: usize = 800;

fn refusal(why: &str) -> CallToolResult {
    let why: String = clean_text(why, Breaks::Kept).chars().take(WHY).collect();
    CallToolResult::structured_error(json!({"error": why}))
}

fn list_tool(tool: &Tool) -> ListedTool {
    let hints = ToolAnnotations::new()
        .read_only(tool.reads_only)
        .destructive(false);
    ListedTool::new(tool.name, tool.about, Arc::new(tool.schema())).with_annotations(hints)
}

impl<D: Door> ServerHandler for AgentServer<D> {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(can)
            .with_server_info(Implementation::new("leitai", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.0.instructions())
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let own = self.0.tools();
        let all = [&READ_DOCUMENT].into_iter().chain(own).map(list_tool);
        ready(Ok(ListToolsResult::with_all_items(all.collect())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.answer(request, context).await.into())
    }

    fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        let all = list_documents(&self.0.games());
        let all = all.into_iter().map(|entry| {
            let uri = format!("{SCHEME}{}", entry.path);
            let kind = if entry.path.ends_with(".md") {
                "text/markdown"
            } else {
                "text/plain"
            };
            Resource::new(uri, entry.path)
                .with_title(entry.title)
                .with_mime_type(kind)
        });
        ready(Ok(ListResourcesResult::with_all_items(all.collect())))
    }

    fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send + '_ {
        let games = self.0.games();
        let uri = request.uri;
        let path = uri.strip_prefix(SCHEME);
        ready(match path.and_then(|path| find_document(&games, path)) {
            Some(document) => {
                let kind = document.kind.split(';').next().unwrap_or_default();
                let text = ResourceContents::text(document.text, uri.clone()).with_mime_type(kind);
                Ok(ReadResourceResult::new(vec![text]).into())
            }
            None => Err(ErrorData::resource_not_found(
                unknown_document(&games, path.unwrap_or(&uri)),
                None,
            )),
        })
    }
}
