import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Fault } from "./script/fault.ts";
import { type Sandbox, type Script, startSandbox } from "./server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

async function ask(script: Script, stream = false, signal?: AbortSignal): Promise<Response> {
  const body = { model: "sandbox-chat", stream, messages: [{ role: "user", content: "Hi" }], sandbox: script };
  return fetch(`${sandbox.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The bytes received, and whether the connection broke. */
async function readAll(response: Response): Promise<{ text: string; broke: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

const events = (text: string): string[] => text.split("\n\n").filter(Boolean);
const withFault = (fault: Fault): Script => ({ fault });

describe("errors instead of an answer", () => {
  test("a status with the vendor's error, or any body and headers", async () => {
    const own = await ask(withFault({ kind: "status", status: 503, message: "Busy" }));
    expect(own.status).toBe(503);
    expect(await own.json()).toEqual({ error: { message: "Busy", type: "server_error", param: null, code: null } });

    const fault: Fault = { kind: "status", status: 429, body: "slow down", headers: { "retry-after": "7" } };
    const scripted = await ask(withFault(fault), true);
    expect([scripted.status, scripted.headers.get("retry-after"), await scripted.text()]).toEqual([
      429,
      "7",
      "slow down",
    ]);
  });

  test("an HTML page, an empty body, an error under 200", async () => {
    const html = await ask(withFault({ kind: "html" }));
    expect([html.status, html.headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(await html.text()).toStartWith("<html>");
    expect(await (await ask(withFault({ kind: "empty_body" }))).text()).toBe("");
    const error = await ask(withFault({ kind: "error_body" }), true);
    expect([error.status, error.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await error.json()).toHaveProperty("error.message");
  });

  test("a fault applies as often as set, and to the set models", async () => {
    const twice: Fault = { kind: "status", status: 500, times: 2 };
    const statuses = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await ask(withFault(twice))).status);
    expect(statuses).toEqual([500, 500, 200]);
    expect((await ask(withFault({ kind: "status", status: 500, models: ["other"] }))).status).toBe(200);
  });
});

describe("broken content", () => {
  test.each(["malformed_json", "truncated_json"] as const)("%s: valid framing, invalid JSON", async (kind) => {
    const text = await (await ask(withFault({ kind }))).text();
    expect(() => JSON.parse(text)).toThrow();
    const stream = events(await (await ask(withFault({ kind, after: 1 }), true)).text());
    expect(() => JSON.parse(stream[0]!.slice(6))).not.toThrow();
    expect(() => JSON.parse(stream[1]!.slice(6))).toThrow();
  });

  test("an error event, first or later, ends the stream", async () => {
    const first = events(await (await ask(withFault({ kind: "error_first" }), true)).text());
    expect(first).toHaveLength(1);
    expect(JSON.parse(first[0]!.slice(6))).toHaveProperty("error.message");
    const later = events(await (await ask(withFault({ kind: "error_event", after: 2 }), true)).text());
    expect(later).toHaveLength(3);
    expect(later[2]).toContain('"error"');
  });

  test("another content type, a huge event", async () => {
    const response = await ask(withFault({ kind: "content_type", value: "text/html" }));
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.json()).toHaveProperty("choices");
    const huge = events(await (await ask(withFault({ kind: "huge_frame", megabytes: 2 }), true)).text());
    expect(Math.max(...huge.map((event) => event.length))).toBeGreaterThan(2_000_000);
    expect(huge.at(-1)).toBe("data: [DONE]");
  });
});

describe("broken connections", () => {
  test.each(["cut", "reset"] as const)("%s after three events", async (kind) => {
    const { text, broke } = await readAll(await ask(withFault({ kind, after: 3 }), true));
    expect([events(text).length, broke]).toEqual([3, true]);
    expect(sandbox.requests[0]).toMatchObject({ outcome: "cut", writesSent: 3, bytesSent: text.length });
  });

  test("cut inside a JSON body", async () => {
    const { text, broke } = await readAll(await ask(withFault({ kind: "cut" })));
    expect(broke).toBe(true);
    expect(text).toStartWith("{");
  });

  test.each([{ kind: "close" }, { kind: "reset" }] as const)("%j instead of an answer", async (fault) => {
    expect(await ask(withFault(fault)).catch(() => "broke")).toBe("broke");
  });

  test("a clean end without finish reason or [DONE]", async () => {
    const { text, broke } = await readAll(await ask(withFault({ kind: "end", after: 2 }), true));
    expect([events(text).length, broke]).toEqual([2, false]);
    expect(text).not.toContain("[DONE]");
  });

  test("a refused connection, and the next one accepted", async () => {
    sandbox.refuseConnections(1);
    const body = JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hi" }] });
    const call = { method: "POST", body, headers: { connection: "close" } };
    const url = `${sandbox.url}/v1/chat/completions`;
    // The pool may reuse an existing connection.
    const outcomes = [];
    for (let request = 0; request < 3; request += 1) {
      outcomes.push(
        await fetch(url, call)
          .then((response) => response.status)
          .catch(() => "refused"),
      );
    }
    expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(1);
  });
});

describe("silence", () => {
  test("before the headers, until the caller disconnects", async () => {
    const caller = new AbortController();
    const answer = ask(withFault({ kind: "stall", at: "headers" }), false, caller.signal).catch(() => "left");
    await sandbox.waitFor((requests) => requests.length === 1);
    caller.abort();
    expect(await answer).toBe("left");
    await sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
    expect(sandbox.requests[0]).toMatchObject({ status: null, bytesSent: 0 });
  });

  test("after the headers, and during a stream", async () => {
    for (const [fault, writes] of [
      [{ kind: "stall", at: "first_byte" }, 0],
      [{ kind: "stall", after: 2 }, 2],
      [{ kind: "stall", after: 0 }, 0],
    ] as const) {
      sandbox.reset();
      const caller = new AbortController();
      const response = await ask(withFault(fault), true, caller.signal);
      expect(response.status).toBe(200);
      await sandbox.waitFor((requests) => requests[0]?.writesSent === writes || requests[0]?.outcome !== "open");
      caller.abort();
      await sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
      expect(sandbox.requests[0]?.writesSent).toBe(writes);
    }
  });

  test("slow headers arrive completely", async () => {
    const response = await ask(withFault({ kind: "slow_headers", delay_ms: 1 }), true);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await response.text()).toEndWith("data: [DONE]\n\n");
  });

  test("garbage stops when its reader disconnects, and respects backpressure", async () => {
    const caller = new AbortController();
    const response = await ask(withFault({ kind: "garbage" }), true, caller.signal);
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(value?.[0]).toBe("x".codePointAt(0));
    await reader.cancel();
    caller.abort();
    await sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
    expect(sandbox.requests[0]?.bytesSent).toBeLessThan(200_000_000);
  });
});

describe("framing", () => {
  const framings: Script["framing"][] = [
    { split: "bytes" },
    { split: "utf8" },
    { split: "merge" },
    { split: 7, newline: "crlf", multi_line: true, comments: true },
  ];
  test.each(framings)("%j gives the same events", async (framing) => {
    const script: Script = { chunks: ["Grüße ", "€", " 😀"], ...(framing === undefined ? {} : { framing }) };
    const text = await (await ask(script, true)).text();
    const contents = text
      .replaceAll("\r\n", "\n")
      .split("\n\n")
      .filter((event) => event.startsWith("data: {"))
      .map((event) => JSON.parse(event.replaceAll("data: ", "")).choices[0].delta.content);
    expect(contents).toEqual(["", "Grüße ", "€", " 😀", undefined]);
  });
});
