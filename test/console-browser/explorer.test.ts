import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "./axe.testkit.ts";
import { type DrivenConsole, driveConsole, type Screen, whyNoBrowser } from "./browser.testkit.ts";

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

/** A picture of one pixel. */
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.skipIf(whyNoBrowser !== null)("the explorer", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  const record = (page: Page) => page.getByRole("button", { name: "Record", exact: true });

  /** Opens the explorer with a key in it. */
  const open = async (mode: string, screen?: Screen) => {
    const opened = await driven.asOwner(screen);
    await opened.go(`/explorer?mode=${mode}`);
    await opened.page.getByLabel("API key").fill(driven.console.gateway.key);
    return opened;
  };
  const send = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  /** The bodies of the calls that a page makes from now on. */
  const callsOf = (page: Page, path: RegExp) => {
    const calls: { readonly url: string; readonly body: Record<string, unknown> }[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && path.test(request.url())) {
        calls.push({ url: request.url(), body: (request.postDataJSON() ?? {}) as Record<string, unknown> });
      }
    });
    return calls;
  };

  const dialects = [
    ["chat", /v1\/chat\/completions$/, "tools", "response_format"],
    ["messages", /v1\/messages$/, "tools", "output_config"],
    ["responses", /v1\/responses$/, "tools", "text"],
    ["generate_content", /:streamGenerateContent\?alt=sse$/, "tools", "generationConfig"],
  ] as const;

  for (const [mode, path, tools, format] of dialects) {
    test(`${mode}: streams, calls a function, takes its result, and answers as JSON, in the dialect's own shape`, async () => {
      const { page, faults, context } = await open(mode);
      const calls = callsOf(page, path);
      await send(page, "Hello there");
      await page.getByRole("log").getByText("You said: Hello there").waitFor();
      await page.getByText(/^first token/).waitFor();
      await page.getByText(/in all$/).waitFor();
      await page.getByRole("button", { name: "Add a function" }).click();
      await send(page, "What is the weather in Paris?");
      await page.getByText("Calls get_weather").waitFor();
      await page.getByLabel("get_weather", { exact: true }).getByText("place").waitFor();
      await page.getByLabel("Result of get_weather").fill("18 degrees and rain");
      await page.getByRole("button", { name: "Send the result" }).click();
      await page
        .getByRole("log")
        .locator("p")
        .filter({ hasText: /18 degrees and rain/ })
        .nth(1)
        .waitFor();
      await page.getByRole("button", { name: "Remove the function get_weather" }).click();
      await page.getByLabel("Answer as JSON of a schema").check();
      await page.getByLabel("JSON schema of the answer").fill("no schema");
      await page.getByText("No JSON object.").waitFor();
      await page.getByRole("textbox", { name: "Message" }).fill("And in short?");
      expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBeTrue();
      await page
        .getByLabel("JSON schema of the answer")
        .fill(
          '{"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"], "additionalProperties": false}',
        );
      await page.getByRole("button", { name: "Send" }).click();
      await page
        .getByRole("log")
        .getByText(/^\{"sum":/)
        .waitFor();
      expect(calls.length).toBe(4);
      expect([tools in (calls[0]?.body ?? {}), tools in (calls[1]?.body ?? {})]).toEqual([false, true]);
      expect([format in (calls[2]?.body ?? {}), format in (calls[3]?.body ?? {})]).toEqual([false, true]);
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    });

    test(`${mode}: takes an image, thinks as hard as it is told, and shows the reasoning`, async () => {
      const { page, faults, context } = await open(mode);
      const calls = callsOf(page, path);
      await page.getByRole("combobox", { name: "Model" }).selectOption("sandbox-chat");
      await page.getByRole("button", { name: "Add an image" }).click();
      await page.getByLabel("Image file").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
      await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
      await send(page, "What do you see?");
      await page
        .getByRole("log")
        .getByText(/I see 1 image/)
        .waitFor();
      expect(JSON.stringify(calls[0]?.body)).toContain(dot.toString("base64"));
      await page.getByRole("button", { name: "New chat" }).click();
      await page.getByRole("combobox", { name: "Model" }).selectOption("sandbox-reasoning");
      await page.getByLabel("Reasoning effort").selectOption("high");
      await send(page, "Think about it");
      await page.getByRole("log").getByText("Reasoning", { exact: true }).waitFor();
      await record(page).waitFor();
      expect(JSON.stringify(calls.at(-1)?.body)).toMatch(/high/i);
      await page.getByRole("log").getByText("Reasoning", { exact: true }).click();
      expect((await page.getByRole("log").locator("details p").textContent()) ?? "").not.toBe("");
      expect(faults).toEqual([]);
      await context.close();
    });
  }

  test("asks several models the same, side by side with cost and time, and offers what all of them can", async () => {
    const { page, faults, context } = await open("chat");
    await page.getByRole("button", { name: "Compare another model" }).click();
    await send(page, "Hello!");
    await record(page).nth(1).waitFor();
    const models = page.getByRole("combobox", { name: "Model" });
    const names = await models.evaluateAll((all) => all.map((each) => "value" in each && each.value));
    expect(new Set(names).size).toBe(2);
    for (const log of await page.getByRole("log").all()) {
      await log.getByText(/^\$0\.\d+$/).waitFor();
      await log.getByText(/^first token .*s$/).waitFor();
    }
    await page.getByRole("button", { name: "Compare another model" }).click();
    await models.last().selectOption("sandbox-no-tools");
    await page.getByText("sandbox-no-tools has no functions.").waitFor();
    expect(await page.getByRole("button", { name: "Add a function" }).count()).toBe(0);
    await page.getByRole("button", { name: "Remove sandbox-no-tools" }).click();
    await page.getByRole("button", { name: "Add a function" }).waitFor();
    await page.getByRole("button", { name: "Remove", exact: false }).last().click();
    await record(page).nth(1).waitFor({ state: "detached" });
    expect(await record(page).count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an answer is stopped, and asked for again", async () => {
    const { page, faults, context } = await open("chat");
    await send(page, 'Slow [[sandbox: {"text": "one two three four five six", "chunks": 6, "chunk_delay_ms": 2000}]]');
    const answer = page.getByRole("log").locator("p").filter({ hasText: /^one/ });
    await answer.waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped", { exact: true }).waitFor();
    expect(await answer.textContent()).not.toContain("six");
    await page.getByRole("button", { name: "New chat" }).click();
    await send(page, "Once");
    await page.getByRole("button", { name: "Retry" }).click();
    await record(page).waitFor();
    expect(await page.getByRole("log").getByText("You said: Once").count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("the record opens under the answer, and the request is there as code without the key", async () => {
    const { page, faults, context } = await open("messages");
    await page.getByLabel("System prompt").fill('Don\'t say "no"');
    await page.getByLabel("Max output tokens").fill("77");
    await send(page, "It's me");
    await record(page).click();
    const opened = page.getByRole("region", { name: "Record" });
    await opened.getByText("/v1/messages", { exact: true }).waitFor();
    await opened.getByText("Total", { exact: true }).waitFor();
    await page.getByRole("log").getByRole("button", { name: "Code" }).click();
    const dialog = page.getByRole("dialog");
    const code = async (name: string) => {
      await dialog.getByRole("button", { name, exact: true }).click();
      return (await dialog.getByLabel(name, { exact: true }).last().textContent()) ?? "";
    };
    const curl = await code("curl");
    expect(curl).toContain(`${driven.url}/v1/messages`);
    expect(curl).toContain('"max_tokens": 77');
    // The shell gives the same body to the gateway.
    const args = Bun.spawnSync([
      "sh",
      "-c",
      `curl() { for each in "$@"; do last=$each; done; printf %s "$last"; }\n${curl}`,
    ]);
    expect(JSON.parse(args.stdout.toString())).toMatchObject({
      system: 'Don\'t say "no"',
      max_tokens: 77,
      stream: true,
    });
    expect(await code("Python")).toContain('"stream": True');
    expect(await code("TypeScript")).toContain('"max_tokens": 77');
    expect(await page.content()).not.toContain(driven.console.gateway.key);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a refusal is shown with its request id and with what to do, as is an error within a stream", async () => {
    const { page, go, context } = await driven.asOwner();
    await go("/explorer?mode=search");
    await page.getByLabel("API key").fill("sk-tg-no-such-key");
    await page.getByLabel("Query").fill("coffee");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("alert").getByText("Request id").waitFor();
    await page.getByText("Copy the whole key again").waitFor();
    // A wrong key of the explorer does not end the session.
    expect(await page.getByRole("heading", { name: "Explorer" }).count()).toBe(1);
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    await page.getByLabel("API key").fill(driven.console.gateway.key);
    await send(page, '[[sandbox: {"chunks": 4, "fault": {"kind": "error_event", "after": 2, "message": "It broke"}}]]');
    await page.getByRole("alert").waitFor();
    await page.getByRole("alert").getByText("Request id").waitFor();
    await record(page).click();
    await page.getByRole("region", { name: "Record" }).getByText("Failed").first().waitFor();
    await context.close();
  });

  test("searches, speaks, writes down and draws, each with its record", async () => {
    const { page, faults, context, go } = await open("search");
    const run = async () => {
      await page.getByRole("button", { name: "Run" }).click();
      await record(page).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    };
    await page.getByLabel("Query").fill("brewing coffee");
    await run();
    expect(await page.locator("main ol a[target=_blank]").count()).toBeGreaterThan(0);
    await go("/explorer?mode=speech");
    await page.getByLabel("API key").fill(driven.console.gateway.key);
    await page.getByLabel("Voice").selectOption("coral");
    await page.getByLabel("Text").fill("Hello world");
    await run();
    await page.getByLabel("The spoken text").waitFor();
    await page.getByRole("button", { name: "Transcription" }).click();
    await page.getByLabel("Audio file").setInputFiles({ name: "tone.wav", mimeType: "audio/wav", buffer: tone() });
    await run();
    await page.getByRole("button", { name: "Code" }).click();
    await page.getByRole("dialog").getByText("file=@").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Image", exact: true }).click();
    await page.getByLabel("Size").selectOption("512x512");
    await page.getByLabel("What to draw").fill("A red fox");
    await run();
    const drawn = page.getByRole("img", { name: "Made from: A red fox" });
    expect(await drawn.evaluate((image) => "naturalWidth" in image && Number(image.naturalWidth))).toBe(512);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a film is begun, followed, and played, and another one is cancelled", async () => {
    const { page, faults, context } = await open("video");
    await page.getByLabel("What the video shows").fill("Waves at night");
    await page.getByLabel("Seconds").selectOption("4");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Complete", { exact: true }).waitFor();
    const film = page.getByLabel("Video of: Waves at night");
    await film.waitFor();
    expect(await film.getAttribute("src")).toStartWith("blob:");
    await page.getByLabel("What the video shows").fill("Rain [video never]");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await page.getByText("Failed", { exact: true }).waitFor();
    await record(page).click();
    await page.getByRole("region", { name: "Record" }).getByText("Cancelled").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  for (const [width, theme] of [
    [1440, "light"],
    [1440, "dark"],
    [360, "light"],
    [360, "dark"],
  ] as const) {
    test(`at ${width} pixels, ${theme}: an answer, its record and its code have no serious fault`, async () => {
      const { page, faults, context } = await open("chat", { width, theme });
      if (width === 360) await page.locator("summary", { hasText: "Settings" }).click();
      await page.getByRole("button", { name: "Add a function" }).click();
      await page.getByLabel("Answer as JSON of a schema").check();
      if (width === 360) await page.locator("summary", { hasText: "Settings" }).click();
      await page.getByRole("button", { name: "Add an image" }).click();
      await send(page, "What is the weather in Paris?");
      await page.getByLabel("Result of get_weather").waitFor();
      await record(page).click();
      await page.getByRole("region", { name: "Record" }).getByText("Total", { exact: true }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBeTrue();
      await page.getByRole("log").getByRole("button", { name: "Code" }).click();
      await page.getByRole("dialog").waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Video", exact: true }).click();
      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBeTrue();
      expect(faults).toEqual([]);
      await context.close();
    });
  }
});
