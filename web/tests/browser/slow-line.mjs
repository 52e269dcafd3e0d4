// A TCP proxy that lets so many bits a second through to the client, all connections together:
// Chromium's own throttling leaves WebSockets alone.

import { connect, createServer } from "node:net";

/** Milliseconds between two portions. */
const TICK = 10;

/** Stands before the server at this address; gives an address that is as slow. */
export async function slowLine(url, kilobits) {
  const { hostname, port } = new URL(url);
  const portion = Math.floor((kilobits * TICK) / 8);
  const waiting = new Map();
  const timer = setInterval(() => send(waiting, portion), TICK);
  const proxy = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) });
    waiting.set(client, []);
    server.on("data", (bytes) => {
      server.pause();
      waiting.get(client)?.push({ bytes, done: () => server.resume() });
    });
    client.pipe(server);
    const close = () => {
      waiting.delete(client);
      client.destroy();
      server.destroy();
    };
    // What was sent before the end still goes out.
    server.on("end", () =>
      waiting.get(client)?.push({ bytes: Buffer.alloc(0), done: () => client.end() }),
    );
    for (const end of [client, server]) end.on("error", close);
    client.on("close", close);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const close = () => {
    clearInterval(timer);
    for (const client of waiting.keys()) client.destroy();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${proxy.address().port}`, close };
}

/** Sends a portion, shared by all who have something to send. */
function send(waiting, portion) {
  const busy = [...waiting].filter(([, pieces]) => pieces.length > 0);
  for (const [client, pieces] of busy) {
    const [piece] = pieces;
    const share = Math.ceil(portion / busy.length);
    if (piece.bytes.length > 0) client.write(piece.bytes.subarray(0, share));
    piece.bytes = piece.bytes.subarray(share);
    if (piece.bytes.length > 0) continue;
    pieces.shift();
    piece.done();
  }
}
