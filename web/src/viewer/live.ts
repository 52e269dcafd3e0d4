// A live match: the socket of a spectator, or of a person who plays.

import type { Film, Frame, MatchBrief } from "./film";
import type { Ask } from "./game";

export type Presence = "here" | "away" | "none";

export type Heard =
  | { type: "hello"; match: MatchBrief }
  | { type: "leg"; film: Film }
  | { type: "frames"; leg: number; frames: Frame[] }
  | { type: "people"; a: Presence; b: Presence; until_ms: number | null }
  | { type: "over"; match: MatchBrief }
  | { type: "countdown"; ms: number }
  | ({ type: "ask" } & Ask)
  | { type: "refused"; step: number; why: string | { en: string; zh: string } }
  | { type: "error"; error?: { message?: string }; message?: string };

export interface Listener {
  heard(message: Heard): void;
  /** Whether there is a connection. */
  connected(is: boolean): void;
}

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
    socket.onclose = () => this.closed(socket);
  }

  private closed(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    if (this.ended) return;
    this.listener.connected(false);
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  say(leg: number, step: number, action: string): void {
    this.send({ type: "say", leg, step, action });
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
