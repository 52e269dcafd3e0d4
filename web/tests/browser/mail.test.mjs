// Mail in a real browser, through a real SMTP server: an address is confirmed, a password is set.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import {
  PASSWORD,
  answers,
  findFreePort,
  findings,
  register,
  scratch,
  stageAt,
  until,
} from "./kit.mjs";

const SMTP =
  process.env.LEITAI_SMTP ?? new URL("../../../target/venv/bin/aiosmtpd", import.meta.url).pathname;
const skip = existsSync(SMTP) ? false : "there is no aiosmtpd; ./dev test installs it";
const folder = scratch();
const port = await findFreePort();

if (!skip) {
  const handler = ["-c", "aiosmtpd.handlers.Mailbox", join(folder, "mails")];
  const smtp = spawn(SMTP, ["-n", "-l", `127.0.0.1:${port}`, ...handler], { stdio: "ignore" });
  after(() => smtp.kill());
  await until("the SMTP server", () => answers(port));
}
const { arena, journey } = await stageAt(
  await findFreePort(),
  ...["--second-factor", "required"],
  ...["--mail", `smtp://127.0.0.1:${port}`, "--mail-from", "Leitai <arena@example.org>"],
);

const READ = `
import email.policy, json, mailbox, sys
from email import message_from_binary_file as read
box = mailbox.Maildir(sys.argv[1], factory=lambda file: read(file, policy=email.policy.default))
print(json.dumps([m.get_content() for m in box.values()]))
box.clear()
`;

/** Waits for a mail and returns the link in it. */
async function nextLink() {
  let link;
  await until("a mail", async () => {
    const fresh = join(folder, "mails", "new");
    if (!existsSync(fresh) || readdirSync(fresh).length === 0) return false;
    const texts = JSON.parse(execFileSync("python3", ["-c", READ, join(folder, "mails")]));
    link = /http\S+/.exec(texts[0]?.split("\n\n")[1] ?? "")?.[0];
    return link !== undefined;
  });
  return link;
}

const forgotten = async (open) => {
  const page = await open();
  await register(page, "root", arena.secret);
  await page.goto("/account?tab=security&lang=en");
  await page.getByText("This arena requires a second factor").waitFor();
  const form = page.locator("form", { has: page.locator("input[name=address]") });
  await form.locator("input[name=address]").fill("root@example.org");
  await form.locator("input[name=password]").fill(PASSWORD);
  await form.getByRole("button").last().click();
  await page.getByText("not confirmed yet").waitFor();
  assert.deepEqual(await findings(page), []);
  await page.goto(await nextLink());
  await page.getByRole("button", { name: "Confirm the address" }).click();
  await page.getByText("The address is confirmed.").waitFor();

  const guest = await open();
  await guest.goto("/login?lang=zh");
  await guest.getByRole("link", { name: "忘记密码" }).click();
  await guest.locator("input[name=address]").fill("root@example.org");
  await guest.getByRole("button", { name: "发送链接" }).click();
  await guest.getByText("链接已发出").waitFor();
  assert.deepEqual(await findings(guest), []);
  // In the language in which the address was given.
  await guest.goto(await nextLink());
  await guest.locator("input[name=password]").fill("another horse battery");
  await guest.getByRole("button", { name: "Set a new password" }).click();
  await guest.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await guest.locator("input[name=name]").fill("root");
  await guest.locator("input[name=password]").fill("another horse battery");
  await guest.locator("main form button:not([type=button])").last().click();
  await guest.waitForURL(/\/account/);
};
journey("a forgotten password is set by mail", forgotten, { skip });
