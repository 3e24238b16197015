import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProcess } from "../process.testkit.ts";
import { until } from "../until.testkit.ts";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

const assets = join(import.meta.dir, "../../build/console/assets");
const maxFirstLoadBytes = 200_000;
const laterMs = 400;
/** Two minutes of script, the start of the process included. */
const maxFirstAnswerMs = 120_000;

describe.skipIf(whyNoBrowser !== null)("the first run", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
  });
  afterAll(() => driven?.stop());

  test("from a start in an empty folder to an answer and its record within two minutes, with the page alone", async () => {
    const startedAt = performance.now();
    const folder = mkdtempSync(join(tmpdir(), "tollgate-first-run-"));
    const port = await freePort();
    const file = join(folder, "tollgate.yaml");
    writeFileSync(file, `server: { port: ${port} }\n`);
    const gateway = await startProcess(file, port, folder);
    const { page, faults, context } = await driven.open();
    const withKey: string[] = [];
    let key = "no key yet";
    page.on("request", (request) => {
      const sent = `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`;
      if (sent.includes(key)) withKey.push(new URL(request.url()).pathname);
    });
    try {
      await until("the link", () => gateway.output().includes("#token="));
      const [link = "no link"] = /http\S+\/console\/set-up#token=\S+/.exec(gateway.output()) ?? [];
      await page.goto(link);
      await page.getByLabel("Your name").fill("Ada");
      // Neither the address bar nor the history keeps what the link is worth.
      expect(page.url()).toBe(`${gateway.url}/console/set-up`);
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
      await page.getByRole("log").getByText("You said: Hello!").waitFor();
      await page.getByRole("button", { name: "Record" }).click();
      const record = page.getByRole("region", { name: "Record" });
      await record.getByText("/v1/chat/completions", { exact: true }).waitFor();
      await record.getByText("Total", { exact: true }).waitFor();
      expect(performance.now() - startedAt).toBeLessThan(maxFirstAnswerMs);
      await record.getByRole("button", { name: "Ask why" }).click();
      await record.getByText("It would go to").waitFor();

      expect(withKey).toEqual(["/v1/chat/completions"]);
      expect(faults).toEqual([]);
    } finally {
      await context.close();
      gateway.kill("SIGTERM");
      await gateway.exited;
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("a link that is not valid says so, and shows no form", async () => {
    const { page, context } = await driven.open();
    await page.goto(`${driven.url}/console/set-up#token=no-such-token`);
    await page.getByText("This link is not valid").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    await context.close();
  });

  test("the first page is loaded with less than 200 kB", async () => {
    const { page, context } = await driven.asOwner();
    await driven.console.gateway.chat();
    // What is loaded beforehand for later use waits for this long (`web/components/later.ts`), and does not come here.
    await page.addInitScript({
      content: `const wait = setTimeout; let held = 0;
        setTimeout = (work, ms) => (ms === ${laterMs} ? (globalThis.held = ++held) : wait(work, ms));`,
    });
    const loaded = new Set<string>();
    page.on("request", (request) => {
      const [, name] = /\/console\/assets\/(.+)$/.exec(request.url()) ?? [];
      if (name !== undefined) loaded.add(name);
    });
    await page.goto(`${driven.url}/console`, { waitUntil: "networkidle" });
    await page.getByRole("img", { name: /over time/ }).waitFor();
    const bytes = [...loaded].reduce((sum, name) => sum + statSync(join(assets, `${name}.gz`)).size, 0);
    expect(loaded.size).toBeGreaterThan(3);
    expect(loaded.size).toBeLessThan(readdirSync(assets).length / 2);
    expect(bytes).toBeLessThan(maxFirstLoadBytes);
    expect(await page.evaluate("held")).toBe(1);
    await context.close();
  });
});
