// A TCP proxy whose connections can be cut and restored: Chromium's own "offline" leaves open
// WebSockets alone.

import { connect, createServer } from "node:net";

/** Starts a proxy for the server at this address; returns its address and its two switches. */
export async function cutLine(url) {
  const { hostname, port } = new URL(url);
  const open = new Set();
  let whole = true;
  const proxy = createServer((client) => {
    if (!whole) return client.destroy();
    const server = connect({ host: hostname, port: Number(port) });
    open.add(client);
    const close = () => {
      open.delete(client);
      client.destroy();
      server.destroy();
    };
    for (const end of [client, server]) end.on("error", close).on("close", close);
    client.pipe(server).pipe(client);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    whole = false;
    for (const client of open) client.destroy();
  };
  return {
    url: `http://127.0.0.1:${proxy.address().port}`,
    cut,
    restore: () => (whole = true),
    close: () => {
      cut();
      proxy.close();
    },
  };
}
