import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveConnection, type MessageListener } from "./live_connection";

/** A socket that is opened and cut by hand. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: unknown[] = [];
  onopen?: () => void;
  onclose?: (event: { code: number }) => void;

  constructor() {
    FakeSocket.all.push(this);
  }
  open(): unknown[] {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
    return this.sent;
  }
  cut(): void {
    this.readyState = 3;
    this.onclose?.({ code: 1006 });
  }
  close(): void {}
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
}

beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { protocol: "http:", host: "arena" });
  // Another file's test may have left a question whether the server answers: it would be asked
  // for ever.
  vi.stubGlobal("fetch", () => Promise.resolve({ ok: true }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const listener: MessageListener = {
  onMessage: () => {},
  onConnectionChange: () => {},
  onSeatRefused: () => {},
  isStillRunning: () => Promise.resolve(true),
};

const [join, ready] = [
  { type: "join", token: "seat", ready: false },
  { type: "join", token: "seat", ready: true },
];
const [resign, hello] = [{ type: "resign" }, { type: "say", phrase: "hello" }];

test.each<[string, (person: LiveConnection) => void, unknown[], unknown[]]>([
  ["nothing", () => {}, [join], [join]],
  ["ready", (person) => person.sayReady(), [ready], [ready]],
  ["a phrase", (person) => person.sayPhrase("hello"), [join, hello], [join]],
  ["a resignation", (person) => person.resignMatch(), [join, resign], [join, resign]],
])("before the socket is open, %s is said once it is", async (_what, say, first, second) => {
  const person = new LiveConnection(1, "seat", listener);
  say(person);
  expect(FakeSocket.all[0]!.open()).toEqual(first);
  // The end of a connection does not tell what arrived: what counts is said again.
  FakeSocket.all[0]!.cut();
  await vi.runAllTimersAsync();
  expect(FakeSocket.all[1]!.open()).toEqual(second);
  person.closeConnection();
});

test("while the connection is cut, all is kept for the next one", async () => {
  const person = new LiveConnection(1, "seat", listener);
  FakeSocket.all[0]!.open();
  FakeSocket.all[0]!.cut();
  await vi.advanceTimersByTimeAsync(1);
  person.sayReady();
  person.sayPhrase("hello");
  person.resignMatch();
  await vi.runAllTimersAsync();
  expect(FakeSocket.all[1]!.open()).toEqual([ready, hello, resign]);
  person.closeConnection();
});
