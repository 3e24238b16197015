import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

/** A tone of a tenth of a second. */
function tone(): Buffer {
  const samples = Buffer.alloc(3_200);
  for (let place = 0; place < 1_600; place++) samples.writeInt16LE(Math.round(9_000 * Math.sin(place / 5)), place * 2);
  const head = Buffer.from(
    "524946460000000057415645666d74201000000001000100803e0000007d0000020010006461746100000000",
    "hex",
  );
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

describe.skipIf(whyNoBrowser !== null)("the explorer", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  const record = (page: Page) => page.getByRole("link", { name: "Record" });

  test("asks several models the same, side by side, and stops showing one that is removed", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/explorer");
    await page.getByLabel("API key").fill(driven.console.gateway.key);
    await page.getByRole("button", { name: "Compare another model" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Hello!");
    await page.getByRole("button", { name: "Send" }).click();
    await record(page).nth(1).waitFor();
    const models = await page
      .getByRole("combobox", { name: "Model" })
      .evaluateAll((all) => all.map((each) => "value" in each && each.value));
    expect(new Set(models).size).toBe(2);
    await page.getByRole("button", { name: "Remove" }).last().click();
    expect(await record(page).count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("shows a refusal with its request id", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/explorer?mode=search");
    await page.getByLabel("API key").fill("sk-tg-no-such-key");
    await page.getByLabel("Query").fill("coffee");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("alert").getByText("Request id").waitFor();
    // A wrong key of the explorer does not end the session.
    expect(await page.getByRole("heading", { name: "Explorer" }).count()).toBe(1);
    await context.close();
  });

  test("searches, speaks, writes down and draws, each with its record", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    const open = async (mode: string) => {
      await go(`/explorer?mode=${mode}`);
      await page.getByLabel("API key").fill(driven.console.gateway.key);
    };
    const run = async () => {
      await page.getByRole("button", { name: "Run" }).click();
      await record(page).waitFor();
    };
    await open("search");
    await page.getByLabel("Query").fill("brewing coffee");
    await run();
    expect(await page.locator("main ol a[target=_blank]").count()).toBeGreaterThan(0);
    await open("speech");
    await page.getByLabel("Text").fill("Hello world");
    await run();
    await page.getByLabel("The spoken text").waitFor();
    await open("transcription");
    await page.getByLabel("Sound file").setInputFiles({ name: "tone.wav", mimeType: "audio/wav", buffer: tone() });
    await run();
    await open("image");
    await page.getByLabel("What to draw").fill("A red fox");
    await run();
    const drawn = page.getByRole("img", { name: "Made from: A red fox" });
    expect(await drawn.evaluate((image) => "naturalWidth" in image && Number(image.naturalWidth) > 0)).toBeTrue();
    expect(faults).toEqual([]);
    await context.close();
  });
});
