import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

/** Providers, models and routes, as an operator manages them in the console. */

const secret = "sk-very-secret-key-of-a-provider-4711";
const hostile = `<img src=x onerror="window.hasRun=true">`;

describe.skipIf(whyNoBrowser !== null)("providers, models and routes in the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  test("a provider, a model of it and a policy are added, tried, changed and deleted", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    const { gateway } = driven.console;
    const dialog = page.getByRole("dialog");
    await go("/models");

    await page.getByRole("button", { name: "Add provider" }).click();
    await dialog.getByLabel("Id", { exact: true }).fill("vendor");
    await dialog.getByLabel("Address").fill("ftp://vendor.example");
    await dialog.getByLabel("API key at the provider").fill(secret);
    await dialog.getByRole("button", { name: "Add provider" }).click();
    await dialog.getByText("'base_url': found").first().waitFor();
    await dialog.getByLabel("Address").fill(`${gateway.sandbox.url}/v1`);
    await dialog.getByRole("button", { name: "Add provider" }).click();
    await dialog.waitFor({ state: "detached" });
    const isProvider = { has: page.getByRole("button", { name: "Test connection" }) };
    const provider = page.getByRole("listitem").filter({ hasText: "vendor" }).filter(isProvider);
    await provider.getByRole("button", { name: "Test connection" }).click();
    await provider.getByText(/Answered in .*: it lists \d+ models/).waitFor();
    await provider.getByText("...4711").waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Add model" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("stored-model");
    await dialog.getByLabel("Provider of target 1").selectOption("vendor");
    await dialog.getByLabel("Model of target 1").fill("sandbox-chat");
    await dialog.getByLabel("USD for 1M input tokens").fill("1.5");
    await dialog.getByRole("button", { name: "Add model" }).click();
    await dialog.waitFor({ state: "detached" });
    const answer = await gateway.chat({ model: "stored-model" });
    expect(answer.status).toBe(200);
    await page.getByRole("button", { name: "stored-model", exact: true }).click();
    await dialog.getByText("vendor/sandbox-chat").waitFor();
    await page.getByRole("button", { name: "Test with a tiny request" }).click();
    await dialog.getByText(/^Answered in/).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Add route" }).click();
    await dialog.getByLabel("Name").fill("either");
    await dialog.getByLabel("Kind").selectOption("policy");
    await dialog.getByLabel("Model 1", { exact: true }).selectOption("stored-model");
    await dialog.getByRole("button", { name: "Add model to the policy" }).click();
    await dialog.getByText("stored-model at vendor").first().waitFor();
    await dialog.getByLabel("Required capabilities").fill("never_declared");
    await dialog.getByLabel("Required capabilities").press("Enter");
    await dialog.getByText("No target could be asked now").waitFor();
    await dialog.getByRole("button", { name: "Delete never_declared" }).click();
    await dialog.getByText("stored-model at vendor").first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add route" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await gateway.chat({ model: "either" })).status).toBe(200);

    const route = page.getByRole("row").filter({ hasText: "either" });
    await route.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Which is asked first").selectOption("least_busy");
    await dialog.getByRole("button", { name: "Save" }).click();
    await route.getByText("least_busy").waitFor();

    // What is in use is not deleted, and the reason is told.
    await provider.getByRole("button", { name: "Actions for vendor" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("used by the model 'stored-model'").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await route.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await route.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "stored-model", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete stored-model?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("stored-model is deleted").waitFor();
    await provider.getByRole("button", { name: "Actions for vendor" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByLabel("Address").fill("https://elsewhere.example/v1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("was given for").first().waitFor();
    await dialog.getByLabel("Remove the key").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await provider.getByText("No key").waitFor();
    await provider.getByRole("button", { name: "Actions for vendor" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await provider.waitFor({ state: "detached" });
    await go("/changes?kind=provider");
    await page.getByText("owner@example.com").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test("a provider's words are shown as text, with the strip of the day, and the configuration's are locked", async () => {
    const { page, faults, go, context } = await driven.asOwner({ width: 360, theme: "dark" });
    const { gateway } = driven.console;
    gateway.sandbox.setModel("sandbox-chat", { fault: { kind: "status", status: 500, message: hostile } });
    await gateway.chat({ model: "sandbox-chat" });
    await go("/models");
    const provider = page.getByRole("listitem").filter({ hasText: "sandbox" }).first();
    await provider.getByText("server_error").first().waitFor();
    await provider.getByRole("img", { name: /failed/ }).waitFor();
    await provider.getByTitle("Set in the configuration file").first().waitFor();
    expect(await provider.getByRole("button", { name: /Actions/ }).count()).toBe(0);
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    gateway.sandbox.setModel("sandbox-chat", {});
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("search backends are put in order by dragging with the mouse, and tell the latency of a test", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    const { gateway } = driven.console;
    const { key: admin } = await gateway.newKey({ admin: true });
    const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
    for (const [priority, id] of ["one", "two", "three"].entries()) {
      const fields = { id, provider: "tavily", api_key: "tvly-0123456789", priority: priority + 1 };
      const body = JSON.stringify({ ...fields, base_url: `${gateway.sandbox.url}/search/tavily@${id}` });
      expect((await gateway.fetch("/api/admin/search-backends", { method: "POST", headers, body })).status).toBe(201);
    }
    await go("/search-backends");
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    const from = await row("three").boundingBox();
    const to = await row("one").boundingBox();
    if (!from || !to) throw new Error("The rows have no place.");
    await page.mouse.move(from.x + 28, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 28, from.y + from.height / 2 - 12, { steps: 4 });
    await page.mouse.move(to.x + 28, to.y + to.height / 2, { steps: 12 });
    await page.mouse.up();
    await page.getByText("three is asked as number 1 now").waitFor();
    const answer = await gateway.fetch("/api/admin/search-backends", { headers });
    const { data } = (await answer.json()) as { data: { id: string; source: string; priority: number }[] };
    const stored = data.filter(({ source }) => source === "storage").toSorted((a, b) => a.priority - b.priority);
    expect(stored.map(({ id }) => id)).toEqual(["three", "one", "two"]);
    await row("one").getByRole("button", { name: "Test connection" }).click();
    await row("one")
      .getByText(/Answered in .* with \d+ results?/)
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});
