// Sign in by OpenID Connect in a real browser, through the form of a real provider and back.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, findings, openBrowser, register, serveArena, until, visit } from "./kit.mjs";

const PROVIDER =
  process.env.LEITAI_OIDC_PROVIDER ??
  new URL("../../../target/venv/bin/oidc-provider-mock", import.meta.url).pathname;
const skip = existsSync(PROVIDER)
  ? false
  : "there is no oidc-provider-mock; ./dev test installs it";
const folder = mkdtempSync(join(tmpdir(), "leitai-oidc-"));

let arena, browser, provider;

async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });

before(async () => {
  if (skip) return;
  const [port, own] = [await findFreePort(), await findFreePort()];
  const ada = { sub: "7f3", preferred_username: "ada" };
  const words = ["--port", port, "--require-nonce", "true", "--user-claims", JSON.stringify(ada)];
  provider = spawn(PROVIDER, words.map(String), { stdio: "ignore" });
  await until("the provider", () => answers(port));
  const file = join(folder, "oidc.toml");
  writeFileSync(join(folder, "secret"), "of the arena\n");
  writeFileSync(
    file,
    `[[provider]]
id = "campus"
name = "Campus login"
name_zh = "校园登录"
issuer = "http://127.0.0.1:${port}"
client_id = "leitai"
client_secret_file = "secret"

[[provider]]
id = "staff"
name = "Staff login"
issuer = "http://127.0.0.1:${port}"
client_id = "leitai-staff"
client_secret_env = "STAFF_SECRET"
register = true
`,
  );
  process.env.STAFF_SECRET = "of the staff";
  arena = await serveArena(
    join(folder, "arena"),
    `127.0.0.1:${own}`,
    ...["--slots", "0", "--public-url", `http://127.0.0.1:${own}`, "--closed", "--oidc", file],
  );
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await arena?.close();
  provider?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** A visitor whose provider shows its form without the style sheet that it loads from elsewhere. */
async function visitBoth() {
  const page = await visit(browser);
  await page.route(/^https:/, (route) => route.fulfill({ contentType: "text/css", body: "" }));
  return page;
}

test(
  "somebody signs in with a provider, is refused, chooses a name and links",
  { skip },
  async () => {
    const root = await visitBoth();
    await register(root, arena.url, "root", arena.secret);

    // Registration is closed for this provider as for everybody; the page says so in the language.
    const guest = await visitBoth();
    await guest.goto(`${arena.url}/login?lang=zh`);
    await guest.getByRole("button", { name: "使用 校园登录 登录" }).click();
    await guest.getByRole("button", { name: "Deny" }).click();
    await guest.getByText("登录已取消").waitFor();
    assert.deepEqual(await findings(guest), []);
    await guest.getByRole("button", { name: "使用 校园登录 登录" }).click();
    await guest.getByRole("button", { name: "7f3" }).click();
    await guest.getByRole("alert").getByText("注册").waitFor();

    // An account that is logged in is linked, and opened by it.
    await root.goto(`${arena.url}/account?lang=en`);
    await root.getByRole("button", { name: "Link an account at Campus login" }).click();
    await root.getByRole("button", { name: "7f3" }).click();
    await root.getByRole("button", { name: /^Unlink/ }).waitFor();
    assert.deepEqual(await findings(root), []);
    await guest.goto(`${arena.url}/login?lang=en&to=/upload`);
    await guest.getByRole("button", { name: "Continue with Campus login" }).click();
    await guest.getByRole("button", { name: "7f3" }).click();
    await guest.waitForURL(/\/upload$/);
    assert.equal((await ask(guest, "/me")).user.name, "root");
    await root.getByRole("button", { name: /^Unlink/ }).click();
    await until("the unlinking", async () => (await ask(root, "/me/identities")).length === 0);
  },
);

test("a newcomer chooses a name where the provider may register", { skip }, async () => {
  const page = await visitBoth();
  await page.goto(`${arena.url}/register?lang=en`);
  await page.getByRole("button", { name: "Continue with Staff login" }).click();
  await page.getByRole("button", { name: "7f3" }).click();
  await page.waitForURL(/\/choose-name$/);
  await page.getByText("There is no account for it here yet").waitFor();
  assert.equal(await page.locator("input[name=name]").inputValue(), "ada");
  assert.deepEqual(await findings(page), []);
  await page.locator("input[name=name]").fill("lovelace");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/\/account$/);
  await page.getByRole("heading", { name: "lovelace" }).waitFor();
  await page.getByText("This account has no password").waitFor();
  assert.deepEqual(await findings(page), []);
  assert.deepEqual(page.problems, []);
});
