// A TCP proxy that limits the bits per second to the client, over all connections: Chromium's own
// throttling does not affect WebSockets.

import { connect, createServer } from "node:net";

/** Milliseconds between two portions. */
const TICK = 10;

/** Starts a proxy for the server at this address; returns the proxy's address and what it sent. */
export async function slowLine(url, kilobits) {
  const { hostname, port } = new URL(url);
  const portion = Math.floor((kilobits * TICK) / 8);
  const waiting = new Map();
  let sent = 0;
  const timer = setInterval(() => (sent += send(waiting, portion)), TICK);
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
    // Bytes sent before the end are still forwarded.
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
  return { url: `http://127.0.0.1:${proxy.address().port}`, sent: () => sent, close };
}

/** Sends a portion, shared among all connections with waiting bytes; returns its bytes. */
function send(waiting, portion) {
  const busy = [...waiting].filter(([, pieces]) => pieces.length > 0);
  let sent = 0;
  for (const [client, pieces] of busy) {
    const [piece] = pieces;
    const share = Math.ceil(portion / busy.length);
    if (piece.bytes.length > 0) client.write(piece.bytes.subarray(0, share));
    sent += Math.min(share, piece.bytes.length);
    piece.bytes = piece.bytes.subarray(share);
    if (piece.bytes.length > 0) continue;
    pieces.shift();
    piece.done();
  }
  return sent;
}
