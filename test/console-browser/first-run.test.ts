import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

const assets = join(import.meta.dir, "../../build/console/assets");
const maxFirstLoadBytes = 200_000;

describe.skipIf(whyNoBrowser !== null)("the first run", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
  });
  afterAll(() => driven?.stop());

  test("from the set-up link to a key, an answer and its record, and the key is in the call alone", async () => {
    const { page, faults, context } = await driven.open();
    const withKey: string[] = [];
    let key = "no key yet";
    page.on("request", (request) => {
      const sent = `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`;
      if (sent.includes(key)) withKey.push(new URL(request.url()).pathname);
    });

    await page.goto(`${driven.url}/console/set-up#token=${await driven.console.setUpToken()}`);
    await page.getByLabel("Your name").fill("Ada");
    // Neither the address bar nor the history keeps what the link is worth.
    expect(page.url()).toBe(`${driven.url}/console/set-up`);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("short");
    await page.getByText("At least 12 characters.", { exact: true }).waitFor();
    await page.getByLabel("Password").fill("a long password of tests");
    await page.getByRole("button", { name: "Create the owner" }).click();

    await page.getByText("Welcome to Tollgate").waitFor();
    await page.getByRole("link", { name: /Create an API key/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("First");
    await dialog.getByRole("button", { name: "Create key" }).click();
    key = (await page.locator("[data-secret]").textContent()) ?? "";
    expect(key).toStartWith("sk-");
    await dialog.getByRole("link", { name: "Try it in the explorer" }).click();

    await page.getByRole("textbox", { name: "Message" }).fill("Hello!");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("link", { name: "Record" }).click();
    await page.getByRole("dialog").getByText("/v1/chat/completions", { exact: true }).waitFor();
    await page.getByRole("dialog").getByText("Total", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Ask why" }).click();
    await page.getByText("It would go to").waitFor();

    expect(withKey).toEqual(["/v1/chat/completions"]);
    const kept = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie");
    expect(kept).not.toContain(key);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a link that is not valid says so, and shows no form", async () => {
    const { page, context } = await driven.open();
    await page.goto(`${driven.url}/console/set-up#token=no-such-token`);
    await page.getByText("This link is not valid").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    await context.close();
  });

  test("the first page is loaded with less than 200 kB", async () => {
    const { page, context } = await driven.open();
    const loaded = new Set<string>();
    page.on("request", (request) => {
      const [, name] = /\/console\/assets\/(.+)$/.exec(request.url()) ?? [];
      if (name !== undefined) loaded.add(name);
    });
    const headers = { origin: driven.url, "sec-fetch-site": "same-origin" };
    const data = { email: "ada@example.com", password: "a long password of tests" };
    await context.request.post(`${driven.url}/console/auth/sign-in/email`, { data, headers });
    await page.goto(`${driven.url}/console`, { waitUntil: "networkidle" });
    await page.getByRole("img", { name: /over time/ }).waitFor();
    const bytes = [...loaded].reduce((sum, name) => sum + statSync(join(assets, `${name}.gz`)).size, 0);
    expect(loaded.size).toBeGreaterThan(3);
    expect(loaded.size).toBeLessThan(readdirSync(assets).length / 2);
    expect(bytes).toBeLessThan(maxFirstLoadBytes);
    await context.close();
  });
});
