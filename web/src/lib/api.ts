import { reportAnswer, reportSilence } from "./connection.svelte";
import { locale } from "./locale.svelte";
import { withQuery } from "./path";
import { session } from "./session.svelte";
import type { FileProblem, LineProblem, ListPage } from "./types";

/**
 * An error of the API: its `code`, the `field` of a form that it is about, the server's `message`,
 * and the wrong lines of a list.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly problems: LineProblem[] = [],
  ) {
    super(message);
  }
}

/** The language tags of HTTP. */
const LANGUAGES = { en: "en", zh: "zh-CN" };

type Query = Record<string, string | number | null | undefined>;

/** Sends a GET request. */
export function get<T>(path: string, query: Query = {}): Promise<T> {
  return callApi<T>("GET", withQuery(`/api${path}`, query));
}

/** Sends a GET request without the session: the answer is what everybody sees. */
export async function getAsGuest<T>(path: string): Promise<T> {
  const headers = { accept: "application/json", "accept-language": LANGUAGES[locale()] };
  const response = await sendRequest(`/api${path}`, { headers, credentials: "omit" });
  if (!response.ok) throw await readError(response);
  return (await readBody(response)) as T;
}

/** Gets a file as it is; with "omit" as everybody sees it. */
export async function getFile(path: string, credentials?: RequestCredentials): Promise<Blob> {
  const headers = { "accept-language": LANGUAGES[locale()] };
  const response = await sendRequest(`/api${path}`, { headers, credentials });
  if (!response.ok) throw await readError(response);
  return response.blob();
}

/** Gets a page of a list; a list without pages has no next one. */
export async function getPage<T>(path: string, query: Query = {}): Promise<ListPage<T>> {
  const answer = await get<ListPage<T> | T[]>(path, query);
  return Array.isArray(answer) ? { items: answer, next: null } : answer;
}

/** Sends a POST request; `body` is sent as JSON, a form or a file as it is. */
export function post<T>(path: string, body?: unknown): Promise<T> {
  return callApi<T>("POST", `/api${path}`, body ?? {});
}

/** Sends a PUT request. */
export function put<T>(path: string, body: unknown): Promise<T> {
  return callApi<T>("PUT", `/api${path}`, body);
}

/** Sends a PATCH request. */
export function patch<T>(path: string, body: unknown): Promise<T> {
  return callApi<T>("PATCH", `/api${path}`, body);
}

/** Sends a DELETE request; `body` is sent as JSON. */
export function remove(path: string, body?: unknown): Promise<void> {
  return callApi<void>("DELETE", `/api${path}`, body);
}

/** The address of a WebSocket of the API. */
export function socket(path: string): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/api${path}`;
}

/** Sends a request for the holder of this seat token. */
export function callFromSeat<T>(
  method: string,
  path: string,
  token: string,
  body?: unknown,
): Promise<T> {
  return callApi<T>(method, `/api${path}`, body, { "leitai-seat": token });
}

async function callApi<T>(
  method: string,
  url: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<T> {
  const headers: Record<string, string> = {
    ...more,
    accept: "application/json",
    "accept-language": LANGUAGES[locale()],
  };
  const csrf = method === "GET" ? null : await session.csrfToken();
  if (csrf) headers["x-leitai-csrf"] = csrf;
  const raw = body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !raw) headers["content-type"] = "application/json";
  const response = await sendRequest(url, {
    method,
    headers,
    body: raw ? body : JSON.stringify(body),
  });
  if (response.ok) return (await readBody(response)) as T;
  const error = await readError(response);
  if (error.code === "csrf" || error.code === "login") session.forget();
  throw error;
}

async function sendRequest(url: string, request: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, request);
    reportAnswer();
    return response;
  } catch {
    reportSilence();
    throw new ApiError(0, "offline", "the server cannot be reached");
  }
}

async function readBody(response: Response): Promise<unknown> {
  const json = response.headers.get("content-type")?.includes("json");
  return json ? await response.json() : await response.text();
}

/**
 * Reads the error of a response. A proxy in front of the server may answer with something else than
 * JSON.
 */
export async function readError(response: Response): Promise<ApiError> {
  const other = `HTTP ${response.status}`;
  try {
    const { error, problems: ofFile } = await response.json();
    const code = typeof error.code === "string" ? error.code : "unknown";
    const message = String(error.message ?? other);
    const problems = error.problems ?? (ofFile ?? []).map(asLineProblem);
    return new ApiError(response.status, code, message, error.field ?? null, problems);
  } catch {
    return new ApiError(response.status, BY_STATUS[response.status] ?? "unknown", other);
  }
}

/** A problem of a file with its cure in one sentence. */
export function asLineProblem({ part, line, what, cure }: FileProblem): LineProblem {
  return { part, line, en: `${what.en}; ${cure.en}`, zh: `${what.zh}；${cure.zh}` };
}

const BY_STATUS: Record<number, string> = {
  401: "login",
  404: "not-found",
  413: "too-large",
  429: "too-often",
  502: "offline",
  503: "offline",
  504: "offline",
};
