import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { parseStorageUrl } from "../../src/storage/location.ts";
import { until } from "../until.testkit.ts";
import { type ShownVideo, videosOf } from "../videos/videos.testkit.ts";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("audits, kept bodies, jobs and files in the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  test("an audit is run and read, and a finding leads to its record", async () => {
    const { gateway } = driven.console;
    const response = await gateway.chat();
    await response.text();
    const id = response.headers.get("x-service-request-id") ?? "";
    const location = parseStorageUrl(gateway.storageUrl);
    const writer = new Database(location.kind === "sqlite" ? location.path : "");
    const change = () =>
      writer.run("update requests set amount_microusd = amount_microusd + 1 where id = ?", [id]).changes;
    await until("the record is stored", async () => change() === 1);
    const { page, faults, go, context } = await driven.asOwner();
    await go("/audit");
    await page.getByText("No audits yet").waitFor();
    await page.getByRole("button", { name: "Run an audit" }).first().click();
    await page.getByRole("button", { name: "Open" }).last().waitFor();
    await page.getByRole("cell", { name: /findings/ }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText(id).first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await sheet.getByRole("link", { name: "Open the record" }).first().click();
    await page.getByRole("dialog").getByText("/v1/chat/completions", { exact: true }).waitFor();
    writer.run("update requests set amount_microusd = amount_microusd - 1 where id = ?", [id]);
    writer.close();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("bodies are kept once an account wants it, shown as a conversation and as text, and deleted", async () => {
    const { page, faults, go, context } = await driven.asOwner();
    await go("/accounts?id=default");
    await page.getByText("Not kept. Records show figures alone.").waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Request and answer bodies" });
    await dialog.getByLabel("Keep what is sent and answered").check();
    await dialog.getByLabel("Keep for").fill("1s");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByText(/from 1m to 365d/)
      .first()
      .waitFor();
    await dialog.getByLabel("Keep for").fill("2d");
    await dialog.getByRole("textbox", { name: "Take out fields" }).fill("password,");
    await dialog.getByRole("textbox", { name: "Take out paths" }).fill("a..b,");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByText(/a path such as/)
      .first()
      .waitFor();
    await dialog.getByRole("button", { name: "Delete a..b" }).click();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Kept for 2d").waitFor();

    const hostile = "<img src=x onerror='window.hasRun=1'> and alice@example.com";
    const response = await driven.console.gateway.chat({
      stream: true,
      password: "hunter2",
      messages: [{ role: "user", content: hostile }],
    });
    await response.text();
    const id = response.headers.get("x-service-request-id") ?? "";
    await go(`/requests?id=${id}`);
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByText("Assistant").waitFor();
    await answer.getByText("[redacted email]").first().waitFor();
    await answer.getByRole("button", { name: "Text" }).click();
    await answer.getByText("data: ").first().waitFor();
    const request = page.getByRole("region", { name: "Request", exact: true });
    await request.getByText("window.hasRun=1").waitFor();
    await request.getByRole("button", { name: "Text" }).click();
    await request.getByText('"password": "[redacted]"').waitFor();
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    expect(await seriousFaults(page)).toEqual([]);

    await go("/accounts?id=default");
    await page.getByRole("button", { name: "Delete all" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).last().click();
    await page.getByText("The bodies are deleted").waitFor();
    await go(`/requests?id=${id}`);
    await page.getByText("The bodies of this request are not kept, or no longer").waitFor();
    // The answer is a 404, which Chromium tells of.
    expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
    await context.close();
  });

  test("films are played, and files looked at or saved", async () => {
    const { gateway } = driven.console;
    const videos = videosOf(gateway);
    const film = (await (await videos.post({ prompt: "A cat in the rain" })).json()) as ShownVideo;
    await videos.ended(film.id);
    for (const [name, content] of [
      ["page.html", "<script>window.hasRun=1</script>"],
      [
        "dot.png",
        Buffer.from(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          "base64",
        ),
      ],
    ] as const) {
      const form = new FormData();
      form.set("purpose", "user_data");
      form.set("file", new File([content], name));
      expect((await gateway.fetch("/v1/files", { method: "POST", body: form })).status).toBe(200);
    }
    const { page, faults, go, context } = await driven.asOwner();
    await go("/jobs");
    await page.getByRole("button", { name: "Play" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText("A cat in the rain").waitFor();
    await page.waitForFunction(
      "document.querySelector('video').readyState > 0 || document.querySelector('video').error",
    );
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("cell", { name: "dot.png" }).click();
    await page.waitForFunction("document.querySelector('img')?.naturalWidth === 1");
    await page.keyboard.press("Escape");
    await page.getByRole("cell", { name: "page.html" }).click();
    await sheet.getByText(/another type of file/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      sheet.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("page.html");
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    expect(faults).toEqual([]);
    await context.close();
  });
});
