// Sample data in the shapes of the API, for work without a server. People and results are invented;
// frames are real if LEITAI names the program `leitai`, which makes them.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import type { LoginAnswer } from "./accounts.ts";
import { type ApiCall, RefusedCall, notFound } from "./answers.ts";
import { findHandler } from "./routes.ts";
import { showVersion } from "./versions.ts";

/** Answers the calls of the API. The cookie `sample` contains the name of the account. */
export function mockApi(): Plugin {
  return {
    name: "leitai-mock",
    configureServer(server) {
      server.middlewares.use("/api", (request, response) => void answerCall(request, response));
    },
  };
}

async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const call = await readCall(request);
    if (call.parts[0] === "versions" && call.parts[2] === "live")
      return streamVersion(Number(call.parts[1]), response);
    const handle = findHandler(request.method ?? "", call.parts);
    if (!handle) throw notFound(`there is no ${request.method} /api/${call.parts.join("/")}`);
    const answer = handle(call);
    sendAnswer(response, 200, answer, loginCookie(answer));
  } catch (thrown) {
    sendError(response, thrown);
  }
}

async function readCall(request: IncomingMessage): Promise<ApiCall> {
  const url = new URL(request.url ?? "/", "http://sample");
  const parts = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const cookie = /(?:^|; )sample=([^;]*)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const user = decodeURIComponent(cookie) || null;
  return { query: url.searchParams, body: await readBody(request), parts, user };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return request.headers["content-type"]?.includes("json") && text
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
}

/** Sends a version twice a second until its check has ended. */
function streamVersion(id: number, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const timer = setInterval(() => {
    const now = showVersion(id);
    response.write(`event: version\ndata: ${JSON.stringify(now)}\n\n`);
    if (now.state === "ready" || now.state === "failed") {
      clearInterval(timer);
      response.end();
    }
  }, 500);
  response.on("close", () => clearInterval(timer));
}

function loginCookie(answer: unknown): Record<string, string> {
  const login = (answer as Partial<LoginAnswer> | null)?.login;
  if (login === undefined) return {};
  return { "set-cookie": `sample=${encodeURIComponent(login)}; Path=/` };
}

function sendError(response: ServerResponse, thrown: unknown): void {
  if (!(thrown instanceof RefusedCall))
    return sendAnswer(response, 500, { error: { code: "internal", message: String(thrown) } });
  const { status, code, message, field } = thrown;
  sendAnswer(response, status, { error: { code, message, field } });
}

function sendAnswer(
  response: ServerResponse,
  status: number,
  answer: unknown,
  headers: Record<string, string> = {},
): void {
  const isText = typeof answer === "string";
  const type = isText ? "text/plain; charset=utf-8" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(isText ? answer : JSON.stringify(answer));
}
