// Sign in by OpenID Connect in a real browser, through the form of a real provider and back.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { answers, ask, findFreePort, findings, register, scratch, stageAt, until } from "./kit.mjs";

const PROVIDER =
  process.env.LEITAI_OIDC_PROVIDER ??
  new URL("../../../target/venv/bin/oidc-provider-mock", import.meta.url).pathname;
const skip = existsSync(PROVIDER)
  ? false
  : "there is no oidc-provider-mock; ./dev test installs it";
const folder = scratch();
const port = await findFreePort();

if (!skip) {
  const ada = { sub: "7f3", preferred_username: "ada" };
  const words = ["--port", port, "--require-nonce", "true", "--user-claims", JSON.stringify(ada)];
  const provider = spawn(PROVIDER, words.map(String), { stdio: "ignore" });
  after(() => provider.kill());
  await until("the provider", () => answers(port));
}
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
const { arena, journey } = await stageAt(await findFreePort(), "--closed", "--oidc", file);

/** A visitor whose provider shows its form without the style sheet that it loads from elsewhere. */
async function visitBoth(open) {
  const page = await open();
  await page.route(/^https:/, (route) => route.fulfill({ contentType: "text/css", body: "" }));
  return page;
}

journey(
  "somebody signs in with a provider, is refused, chooses a name and links",
  async (open) => {
    const root = await visitBoth(open);
    await register(root, "root", arena.secret);

    // Registration is closed for this provider as for everybody; the page says so in the language.
    const guest = await visitBoth(open);
    await guest.goto("/login?lang=zh");
    await guest.getByRole("button", { name: "使用 校园登录 登录" }).click();
    await guest.getByRole("button", { name: "Deny" }).click();
    await guest.getByText("登录已取消").waitFor();
    assert.deepEqual(await findings(guest), []);
    await guest.getByRole("button", { name: "使用 校园登录 登录" }).click();
    await guest.getByRole("button", { name: "7f3" }).click();
    await guest.getByRole("alert").getByText("注册").waitFor();

    // An account that is logged in is linked, and opened by it.
    await root.goto("/account?tab=security&lang=en");
    await root.getByRole("button", { name: "Link an account at Campus login" }).click();
    await root.getByRole("button", { name: "7f3" }).click();
    await root.getByRole("button", { name: /^Unlink/ }).waitFor();
    assert.deepEqual(await findings(root), []);
    await guest.goto("/login?lang=en&to=/upload");
    await guest.getByRole("button", { name: "Continue with Campus login" }).click();
    await guest.getByRole("button", { name: "7f3" }).click();
    await guest.waitForURL(/\/upload$/);
    assert.equal((await ask(guest, "/me")).user.name, "root");
    await root.getByRole("button", { name: /^Unlink/ }).click();
    await until("the unlinking", async () => (await ask(root, "/me/identities")).length === 0);
  },
  { skip },
);

journey(
  "a newcomer chooses a name where the provider may register",
  async (open) => {
    const page = await visitBoth(open);
    await page.goto("/register?lang=en");
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
    await page.goto("/account?tab=security");
    await page.getByText("This account has no password").waitFor();
  },
  { skip },
);
