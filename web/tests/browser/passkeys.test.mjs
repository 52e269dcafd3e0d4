// Passkeys in a real browser, whose authenticator is Chromium's virtual one.

import assert from "node:assert/strict";
import { ask, findFreePort, findings, PASSWORD, register, stageNamed, until } from "./kit.mjs";

const port = await findFreePort();
const { arena, journey } = await stageNamed("localhost", port);
const baseURL = `http://localhost:${port}`;

/** A device that keeps passkeys and says yes to every question. */
async function plugIn(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "usb",
      automaticPresenceSimulation: true,
      isUserVerified: true,
    },
  });
  return () => session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
}

journey("a passkey is added, asked for, and removed", async (open) => {
  const page = await open({ baseURL });
  const unplug = await plugIn(page);
  await register(page, "keeper", arena.secret);
  await page.goto("/account?tab=security&lang=en");
  const sheet = page.locator(".sheet", { has: page.locator("#second-factor") });
  await sheet.locator("input[name=password]").fill(PASSWORD);
  await sheet.getByLabel("Name of the passkey").fill("Key on the ring");
  await sheet.getByRole("button", { name: "Add a passkey" }).click();
  const shown = sheet.getByLabel("Recovery codes", { exact: true });
  assert.equal((await shown.innerText()).split(/\s+/).length, 10);
  await sheet.getByRole("button", { name: "I have kept them" }).click();
  await sheet.getByText("Key on the ring", { exact: true }).waitFor();
  await sheet.getByText("Never used").waitFor();
  assert.deepEqual(await findings(page), []);

  await page.getByRole("button", { name: "Log out" }).click();
  await until("logging out", async () => (await ask(page, "/me")).user === null);
  await page.goto("/login?lang=zh");
  await page.locator("input[name=name]").fill("keeper");
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.locator("input[name=password]").press("Enter");
  const use = page.getByRole("button", { name: "使用通行密钥" });
  await use.waitFor();
  assert.deepEqual(await findings(page), []);
  await use.click();
  await page.waitForURL(/\/account/);
  assert.equal((await ask(page, "/me")).user.name, "keeper");

  await page.goto("/account?tab=security&lang=en");
  await sheet.getByText("Last used").waitFor();
  const kept = sheet.locator("form", { hasText: "Key on the ring" });
  // One password for all that stands there, and a passkey in place of a code.
  assert.equal(await sheet.locator("input[name=password]").count(), 1);
  await kept.locator("input[name=password]").fill(PASSWORD);
  await kept.getByRole("button", { name: "Make new recovery codes" }).click();
  assert.equal((await shown.innerText()).split(/\s+/).length, 10);
  await sheet.getByRole("button", { name: "I have kept them" }).click();
  await kept.locator("input[name=password]").fill(PASSWORD);
  await kept.getByRole("button", { name: "Remove Key on the ring" }).click();
  await sheet.getByText("You have no passkeys.").waitFor();
  await unplug();
});
