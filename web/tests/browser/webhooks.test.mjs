// A webhook in a real browser: made, tested, told what happens, deleted; in both languages.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { ON_DEMAND, PASSWORD, ask, findings, stage, until, upload } from "./kit.mjs";

/** What the receiver got, and what it answers with. */
const received = [];
let status = 204;
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (text) => (body += text));
  request.on("end", () => {
    received.push({ headers: request.headers, body });
    response.writeHead(status).end();
  });
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
after(() => receiver.close());
const { arena, journey } = await stage(...ON_DEMAND, "--private-webhooks");

const sign = (secret, { headers, body }) =>
  `v1=${createHmac("sha256", secret).update(`${headers["leitai-timestamp"]}.${body}`).digest("hex")}`;

/** Fills in the form for an account. */
async function fillIn(page, name, address = "/register?lang=en") {
  await page.goto(address);
  await page.locator("input[name=name]").fill(name);
  await page.locator("input[type=password]").fill(PASSWORD);
  await page.locator("main form button:not([type=button])").last().click();
}

journey(
  "the first account needs the secret of its operator; a webhook is made, tested and told what happens",
  async (open) => {
    const stranger = await open();
    await fillIn(stranger, "mallory");
    await stranger.locator("input[name=secret]").waitFor();
    const page = await open();
    await fillIn(page, "root", `/register?lang=en#secret=${arena.secret}`);
    await page.waitForURL((address) => !address.pathname.startsWith("/register"));
    assert.equal((await ask(page, "/me")).user.admin, true);
    await page.goto("/account?tab=access&lang=en");
    const form = page.locator("form", { has: page.locator("input[name=url]") }).first();
    await form.locator("input[name=url]").fill(`http://127.0.0.1:${receiver.address().port}/hook`);
    await form.getByRole("button", { name: "Create a webhook" }).click();
    const made = page.locator(".made", { hasText: "leitai_hook_" });
    await made.waitFor();
    const secret = /leitai_hook_[0-9a-f]+/.exec(await made.innerHTML())[0];
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("delivered").waitFor();
    assert.equal(received[0].headers["leitai-signature"], sign(secret, received[0]));
    assert.deepEqual(await findings(page), []);

    // An upload that cannot be built is told by the server itself.
    const fields = { game: "kob", name: "broken", file: "main.cpp" };
    await upload(page, "/bots", "int main( {", fields);
    // What the receiver takes late is sent again.
    const event = await until("the event", async () =>
      received.find(({ body }) => JSON.parse(body).event === "version.checked"),
    );
    const told = JSON.parse(event.body);
    assert.equal(told.bot.name, "broken");
    assert.equal(told.version.state, "failed");
    assert.equal(event.headers["leitai-signature"], sign(secret, event));

    // What the receiver does not take is shown, in the reader's language.
    status = 500;
    await page.goto("/account?tab=access&lang=zh");
    await page.getByRole("button", { name: "发送测试" }).click();
    await page.getByText("接收端应答状态码 500").waitFor();
    assert.deepEqual(await findings(page), []);
    page.on("dialog", (dialog) => void dialog.accept());
    const row = page.locator("li", { has: page.locator("b.url") });
    await row.getByRole("button", { name: /^删除/ }).click();
    await row.waitFor({ state: "detached" });
    assert.deepEqual((await ask(page, "/me/webhooks")).items, []);
  },
);
