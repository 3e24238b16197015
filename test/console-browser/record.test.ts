import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelOf, policy } from "../routing/routing.testkit.ts";
import { type DrivenConsole, type DrivenPage, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

const python = Bun.which("python3");

/** A record beside the list: its attempts, its cost, and the same request as code. */
describe.skipIf(whyNoBrowser !== null)("a record in the console", () => {
  let driven: DrivenConsole;
  let owner: DrivenPage;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-snippets-"));
  beforeAll(async () => {
    driven = await driveConsole({
      models: [
        modelOf("first", { prices: { input: 1_000_000, output: 2_000_000 } }),
        modelOf("second", { prices: { input: 3_000_000, output: 3_000_000 } }),
        modelOf("sandbox-embedding", {
          targets: [{ provider: "sandbox", model: "sandbox-embedding" }],
          endpoints: ["embeddings"],
          prices: { input: 20_000 },
        }),
        modelOf("older", {
          targets: [{ provider: "sandbox", model: "sandbox-older" }],
          endpoints: ["completions"],
          prices: { input: 20_000, output: 20_000 },
        }),
      ],
      routes: [policy("hedged", ["first", "second"], { hedgeAfterMs: 200 }), policy("either", ["first", "second"])],
    });
    owner = await driven.asOwner();
    for (const name of ["first", "second"]) {
      driven.console.gateway.sandbox.setModel(`${name}-up`, { tokens: { input: 100, output: 10 } });
    }
  });
  afterAll(async () => {
    await driven?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (path: string, body: unknown, key = driven.console.gateway.key) =>
    driven.console.gateway.fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  /** Opens the record of an answer that has been read. */
  const open = async (response: Response) => {
    await response.arrayBuffer();
    const id = response.headers.get("x-service-request-id") ?? "";
    await driven.console.gateway.eventualRecord(id);
    await owner.go(`/requests?id=${id}`);
    const sheet = owner.page.getByRole("dialog");
    await sheet.getByText(id).first().waitFor();
    return sheet;
  };
  const chat = (model: string, sandbox: unknown) =>
    send("/v1/chat/completions", { model, sandbox, messages: [{ role: "user", content: "Hello!" }] });

  /** Left and right end of each bar, as shares of the whole. */
  const barsOf = async (sheet: Awaited<ReturnType<typeof open>>) =>
    sheet.locator("ol > li > div:nth-child(2)").evaluateAll((tracks) =>
      tracks.map((track) => {
        const whole = track.getBoundingClientRect();
        const bar = track.firstElementChild?.getBoundingClientRect() ?? whole;
        return [(bar.left - whole.left) / whole.width, (bar.right - whole.left) / whole.width] as const;
      }),
    );

  test("the bar of a hedge lies under the attempt that it overtakes", async () => {
    const sheet = await open(await chat("hedged", { fault: { kind: "stall", at: "headers", models: ["first-up"] } }));
    await sheet.getByText("Slower than another").waitFor();
    await sheet.getByText("Answered 200").waitFor();
    const [lost, answered] = await barsOf(sheet);
    if (!lost || !answered) throw new Error("There are not two bars.");
    expect(answered[0]).toBeGreaterThan(lost[0] + 0.2);
    expect(answered[0]).toBeLessThan(lost[1]);
    expect(answered[1]).toBeLessThanOrEqual(1.01);
  });

  test("a fallback follows what failed, and its choice is compared with that of now", async () => {
    const fault = { kind: "status", status: 500, models: ["first-up"], times: 1 };
    const sheet = await open(await chat("either", { fault }));
    await sheet.getByText("Failed 500").waitFor();
    const [failed, answered] = await barsOf(sheet);
    if (!failed || !answered) throw new Error("There are not two bars.");
    expect(answered[0]).toBeGreaterThanOrEqual(failed[1] - 0.2);
    await sheet.getByRole("button", { name: "Ask why" }).click();
    await sheet.getByText("it was served by second at sandbox").waitFor();
    await (await open(await chat("either", {}))).getByRole("button", { name: "Ask why" }).click();
    await owner.page.getByText("It would be served as it was then.").waitFor();
  });

  test("a markup is a percentage of the other lines, and the lines sum to the total", async () => {
    const { key: admin } = await driven.console.gateway.newKey({ admin: true });
    await send("/api/admin/accounts", { id: "marked-up", name: "Marked up", markup_percent: 12.5 }, admin);
    const { key } = await driven.console.gateway.newKey({ accountId: "marked-up" });
    const messages = [{ role: "user", content: "Hello!" }];
    const response = await send("/v1/chat/completions", { model: "first", messages }, key);
    await response.arrayBuffer();
    const id = response.headers.get("x-service-request-id") ?? "";
    await driven.console.gateway.eventualRecord(id, key);
    await owner.go(`/requests?id=${id}`);
    const rows = owner.page.getByRole("dialog").locator("tbody tr");
    await rows.getByText("12.5 %").waitFor();
    const amounts = await rows.evaluateAll((lines) =>
      lines.map((line) => Math.round(Number((line.lastElementChild?.textContent ?? "").replace(/[$,]/g, "")) * 1e6)),
    );
    expect(amounts).toEqual([100, 20, 15, 135]);
    expect(await rows.nth(2).textContent()).toContain("$0.000120");
  });

  const text = [{ role: "user", content: "Hello!" }];
  const contents = [{ role: "user", parts: [{ text: "Hello!" }] }];
  const requests: readonly (readonly [path: string, body: Readonly<Record<string, unknown>> | null])[] = [
    ["/v1/chat/completions", { model: "sandbox-chat", messages: text }],
    ["/v1/chat/completions", { model: "sandbox-chat", messages: text, stream: true }],
    ["/v1/responses", { model: "sandbox-chat", input: "Hello!" }],
    ["/v1/messages", { model: "sandbox-chat", max_tokens: 9, messages: text }],
    ["/v1beta/models/sandbox-chat:generateContent", { contents }],
    ["/v1beta/models/sandbox-chat:streamGenerateContent", { contents }],
    ["/v1/completions", { model: "older", prompt: "Hello!" }],
    ["/v1/embeddings", { model: "sandbox-embedding", input: "Hello!" }],
    ["/v1/search", { query: "coffee" }],
    ["/v1/fetch", { urls: ["https://example.com"] }],
    ["/v1/images/generations", { model: "sandbox-image", prompt: "A fox" }],
    ["/v1/audio/speech", { model: "sandbox-speech", voice: "alloy", input: "Hello!", response_format: "wav" }],
    ["/v1/videos", { model: "sandbox-video", prompt: "Waves", seconds: "4" }],
    ["/v1/images/edits", null],
    ["/v1/audio/transcriptions", null],
    ["/v1/audio/translations", null],
  ];

  /** The form of an endpoint that takes files, which are put into the folder for the code that sends them again. */
  async function formFor(path: string): Promise<FormData> {
    const form = new FormData();
    const isImage = path.includes("images");
    const [name, file] = isImage ? ["image", "picture.png"] : ["file", "speech.wav"];
    const made = isImage
      ? await send("/v1/images/generations", { model: "sandbox-image", prompt: "A fox", response_format: "b64_json" })
      : await send("/v1/audio/speech", {
          model: "sandbox-speech",
          voice: "alloy",
          input: "Hi",
          response_format: "wav",
        });
    const bytes = isImage
      ? Buffer.from(((await made.json()) as { data: [{ b64_json: string }] }).data[0].b64_json, "base64")
      : Buffer.from(await made.arrayBuffer());
    await Bun.write(join(folder, file), bytes);
    form.set("model", isImage ? "sandbox-image" : "sandbox-transcription");
    if (isImage) form.set("prompt", "A fox");
    form.set(name, new File([bytes], file));
    return form;
  }

  test.each(requests)("%s %j as code is answered with 200", async (path, body) => {
    const { gateway } = driven.console;
    const response =
      body === null ? await gateway.fetch(path, { method: "POST", body: await formFor(path) }) : await send(path, body);
    expect(response.status).toBe(200);
    const sheet = await open(response);
    const code = async (name: string) => {
      await sheet.getByRole("button", { name, exact: true }).click();
      const shown = await sheet.getByLabel(name, { exact: true }).textContent();
      return (shown ?? "").replaceAll("YOUR_API_KEY", gateway.key);
    };
    const before = statusesAt(path);
    const curl = (await code("curl")).replace("curl", "curl -sSf");
    await Bun.write(join(folder, "again.ts"), await code("TypeScript"));
    await Bun.write(join(folder, "again.py"), await code("Python"));
    const commands = [
      ["sh", "-c", curl],
      [process.execPath, "again.ts"],
      // Forms need a package of Python that may not be here.
      ...(python !== null && body !== null ? [[python, "again.py"]] : []),
    ];
    expect(await Promise.all(commands.map(run))).toEqual(commands.map(() => 0));
    expect(statusesAt(path).slice(before.length)).toEqual(commands.map(() => 200));
  });

  async function run(command: readonly string[]): Promise<number> {
    const child = Bun.spawn([...command], { cwd: folder, stdout: "ignore", stderr: "inherit" });
    return await child.exited;
  }

  /** The statuses of the requests so far, as the log has them. */
  function statusesAt(path: string): readonly number[] {
    const lines = driven.console.gateway.log.filter(({ fields }) => fields["endpoint"] === path);
    return lines.map(({ fields }) => Number(fields["status_code"]));
  }
});
