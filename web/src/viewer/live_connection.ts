// The WebSocket of a live match, for a spectator or for a person who plays.

import type { Phrase } from "$lib/types";
import type { Entrant, Frame, LocalizedText, MatchSummary, LegFrames, Seat } from "./leg_frames";
import type { ActionChoice, Question } from "./game_viewer";

export type Presence = "here" | "away" | "none";

export type ServerMessage =
  | { type: "hello"; match: MatchSummary }
  | { type: "leg"; frames_of_leg: LegFrames; run?: string }
  | { type: "earlier"; run: string; frames: Frame[] }
  | { type: "frames"; leg: number; frames: Frame[] }
  | { type: "presence"; a: Presence; b: Presence; until_ms: number | null }
  | { type: "finished"; match: MatchSummary | null }
  | { type: "said"; by: Entrant; phrase: Phrase }
  | ({ type: "countdown"; ms: number } & FirstChoices)
  | ({ type: "ready"; a: boolean; b: boolean; ms: number } & FirstChoices)
  | ({ type: "question" } & Question)
  | { type: "refused"; step: number; why: string | LocalizedText }
  | { type: "error"; error?: { message?: string }; message?: string };

/** What this reader can choose first in a leg; null if the other side is asked first. */
export interface FirstChoices {
  leg: number;
  seat: Seat;
  choices: ActionChoice[] | null;
}

export interface MessageListener {
  onMessage(message: ServerMessage): void;
  onConnectionChange(connected: boolean): void;
  /** The server refuses the seat; there is no further attempt. */
  onSeatRefused(why: "no-seat" | "replaced"): void;
  /** Called before every attempt to reconnect: whether the match still runs. */
  isStillRunning(): Promise<boolean>;
}

/** Codes with which the server closes the socket: docs/live.md. */
const NO_SEAT = 4403;
const REPLACED = 4409;

/**
 * Milliseconds between two requests of earlier frames: the server takes twenty messages a second.
 */
const REQUEST_MILLIS = 60;

/** Browsers before 2023 cannot decompress. */
const DECOMPRESSES = typeof DecompressionStream === "function";

/** Milliseconds before an attempt to reconnect: of the first one, and at most. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** A spectator gets the newest position first, then the frames before it, all compressed. */
const SPECTATOR_PATH = `live?start=newest${DECOMPRESSES ? "&encoding=deflate" : ""}`;

/**
 * What a running match is played over: the server's socket, or the engine in the page. What a
 * person says while there is no connection arrives with the next one.
 */
export interface MatchConnection {
  /** False if there is no connection: the question comes again with the next one. */
  sendAction(leg: number, step: number, action: string): boolean;
  /** Requests frames of a leg from this step on. */
  requestEarlierFrames(run: string, from: number): void;
  resignMatch(): void;
  /** Says that the person has read how the game is played. */
  sayReady(): void;
  /** Says a phrase to the other person. */
  sayPhrase(phrase: Phrase): void;
  /** Gets the leg again from its beginning. */
  restartLeg(): void;
  closeConnection(): void;
}

/** Keeps a connection until it is closed or the match is over; reconnects when it breaks. */
export class LiveConnection implements MatchConnection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  /** What the person said is said in every later connection, too: the last one may have lost it. */
  private isReady = false;
  private hasResigned = false;
  /** A phrase that nobody has heard yet. */
  private phrase: Phrase | null = null;
  /**
   * Settles when every message so far was handled: decompression takes time, the order must stay.
   */
  private handling: Promise<void> = Promise.resolve();

  constructor(
    private readonly id: number,
    private readonly token: string | null,
    private readonly listener: MessageListener,
  ) {
    this.openSocket();
  }

  private openSocket(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(
      `${scheme}://${location.host}/api/matches/${this.id}/${this.token ? "play" : SPECTATOR_PATH}`,
    );
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.onConnectionChange(true);
      if (this.token) this.joinAgain(this.token);
    };
    socket.onmessage = ({ data }) =>
      this.runInOrder(async () => this.receiveMessage(socket, await inflateMessage(data)));
    socket.onclose = ({ code }) => this.runInOrder(() => this.handleClose(socket, code));
  }

  private joinAgain(token: string): void {
    this.sendMessage({ type: "join", token, ready: this.isReady });
    if (this.phrase) this.sayPhrase(this.phrase);
    if (this.hasResigned) this.resignMatch();
  }

  private runInOrder(work: () => void | Promise<void>): void {
    this.handling = this.handling.then(work).catch((error: unknown) => console.error(error));
  }

  private receiveMessage(socket: WebSocket, text: string): void {
    if (this.socket !== socket) return;
    const message = parseMessage(text);
    if (message?.type === "finished") this.ended = true;
    if (message) this.listener.onMessage(message);
  }

  private handleClose(socket: WebSocket, code: number): void {
    if (this.socket !== socket) return;
    this.socket = null;
    if (this.ended) return;
    if (code === NO_SEAT || code === REPLACED) {
      this.ended = true;
      return this.listener.onSeatRefused(code === NO_SEAT ? "no-seat" : "replaced");
    }
    this.listener.onConnectionChange(false);
    this.timer = setTimeout(() => void this.reconnect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  private async reconnect(): Promise<void> {
    const on = await this.listener.isStillRunning().catch(() => true);
    if (on && !this.ended) this.openSocket();
  }

  /** False if there is no connection. */
  private sendMessage(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  sendAction(leg: number, step: number, action: string): boolean {
    return this.sendMessage({ type: "choose", leg, step, action });
  }

  /** Requests frames of a leg from this step on. */
  requestEarlierFrames(run: string, from: number): void {
    setTimeout(() => this.sendMessage({ type: "earlier", run, from }), REQUEST_MILLIS);
  }

  resignMatch(): void {
    this.hasResigned = true;
    this.sendMessage({ type: "resign" });
  }

  sayReady(): void {
    this.isReady = true;
    this.sendMessage({ type: "ready" });
  }

  sayPhrase(phrase: Phrase): void {
    this.phrase = this.sendMessage({ type: "say", phrase }) ? null : phrase;
  }

  /** Gets the leg again from its beginning: the connection is closed and opened anew. */
  restartLeg(): void {
    this.socket?.close();
  }

  closeConnection(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
  }
}

/** The text of a message: binary ones are compressed. */
async function inflateMessage(data: string | ArrayBuffer): Promise<string> {
  if (typeof data === "string") return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

function parseMessage(text: string): ServerMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && "type" in message
      ? (message as ServerMessage)
      : null;
  } catch {
    return null;
  }
}
