// A live match: the socket of a spectator, or of a person who plays.

import type { Film, Frame, MatchBrief } from "./film";
import type { Ask } from "./game";

export type Presence = "here" | "away" | "none";

export type Heard =
  | { type: "hello"; match: MatchBrief }
  | { type: "leg"; film: Film }
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

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** Keeps a connection until it is closed or the match is over, and comes back after a break. */
export class Live {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;

  constructor(
    private readonly id: number,
    private readonly token: string | null,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/matches/${this.id}/${this.token ? "play" : "live"}`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.connected(true);
      if (this.token) this.send({ type: "sit", token: this.token });
    };
    socket.onmessage = ({ data }) => {
      const message = parse(data);
      if (message?.type === "over") this.ended = true;
      if (message) this.listener.heard(message);
    };
    socket.onclose = ({ code }) => this.closed(socket, code);
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

function parse(data: unknown): Heard | null {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null && "type" in message ? (message as Heard) : null;
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
