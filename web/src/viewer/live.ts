// A live match: the socket of a spectator, or of a person who plays.

import type { Film, Frame, MatchBrief } from "./film";
import type { Ask } from "./game";

export type Presence = "here" | "away" | "none";

export type Heard =
  | { type: "hello"; match: MatchBrief }
  | { type: "leg"; film: Film; run?: string }
  | { type: "earlier"; run: string; frames: Frame[] }
  | { type: "frames"; leg: number; frames: Frame[] }
  | { type: "people"; a: Presence; b: Presence; until_ms: number | null }
  | { type: "over"; match: MatchBrief | null }
  | { type: "countdown"; ms: number }
  | ({ type: "ask" } & Ask)
  | { type: "refused"; step: number; why: string | { en: string; zh: string } }
  | { type: "error"; error?: { message?: string }; message?: string };

export interface Listener {
  heard(message: Heard): void;
  /** Whether there is a connection. After a break it is asked whether to try again. */
  connected(is: boolean): void;
  /** Nobody comes back by itself from this. */
  refused(why: "no-seat" | "replaced"): void;
  /** Before every new attempt: whether the match still goes on. */
  goesOn(): Promise<boolean>;
}

/** Closing codes of the server, see crates/server/src/arena/routes/play.rs. */
const NO_SEAT = 4403;
const REPLACED = 4409;

/** Milliseconds between two questions for earlier frames: the server takes twenty messages a second. */
const ASK_EVERY = 60;

/** Browsers before 2023 cannot decompress. */
const DECOMPRESSES = typeof DecompressionStream === "function";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** How a spectator watches: the newest position at once, what was before it afterwards, all of it compressed. */
const WATCH = `live?start=newest${DECOMPRESSES ? "&encoding=deflate" : ""}`;

/** Keeps a connection until it is closed or the match is over, and comes back after a break. */
export class Live {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  /** Ends when everything that has come was heard: decompressing takes a moment, and the order must stay. */
  private hearing: Promise<void> = Promise.resolve();

  constructor(
    private readonly id: number,
    private readonly token: string | null,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(
      `${scheme}://${location.host}/api/matches/${this.id}/${this.token ? "play" : WATCH}`,
    );
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.connected(true);
      if (this.token) this.send({ type: "sit", token: this.token });
    };
    socket.onmessage = ({ data }) =>
      this.inOrder(async () => this.hear(socket, await inflated(data)));
    socket.onclose = ({ code }) => this.inOrder(() => this.closed(socket, code));
  }

  private inOrder(work: () => void | Promise<void>): void {
    this.hearing = this.hearing.then(work).catch((error: unknown) => console.error(error));
  }

  private hear(socket: WebSocket, text: string): void {
    if (this.socket !== socket) return;
    const message = parse(text);
    if (message?.type === "over") this.ended = true;
    if (message) this.listener.heard(message);
  }

  private closed(socket: WebSocket, code: number): void {
    if (this.socket !== socket) return;
    this.socket = null;
    if (this.ended) return;
    if (code === NO_SEAT || code === REPLACED) {
      this.ended = true;
      return this.listener.refused(code === NO_SEAT ? "no-seat" : "replaced");
    }
    this.listener.connected(false);
    this.timer = setTimeout(() => void this.comeBack(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  private async comeBack(): Promise<void> {
    const on = await this.listener.goesOn().catch(() => true);
    if (on && !this.ended) this.open();
  }

  /** False if there is no connection. */
  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  say(leg: number, step: number, action: string): boolean {
    return this.send({ type: "say", leg, step, action });
  }

  /** Asks for frames of a leg from this step on. */
  askEarlier(run: string, from: number): void {
    setTimeout(() => this.send({ type: "earlier", run, from }), ASK_EVERY);
  }

  leave(): void {
    this.send({ type: "leave" });
  }

  /** Asks for the leg from its beginning, by sitting down or looking on anew. */
  again(): void {
    this.socket?.close();
  }

  close(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
  }
}

/** The text of a message: binary ones are compressed. */
async function inflated(data: string | ArrayBuffer): Promise<string> {
  if (typeof data === "string") return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

function parse(text: string): Heard | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && "type" in message
      ? (message as Heard)
      : null;
  } catch {
    return null;
  }
}

/** The token of the seat that this browser tab holds in a match. */
export function seatToken(id: number): string | null {
  try {
    return sessionStorage.getItem(`leitai.seat.${id}`);
  } catch {
    return null;
  }
}
