import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { LogDestination } from "./log-destination.ts";
import { type RequestLine, requestFields } from "./log-request-line.ts";
import { createLog } from "./log.ts";

function memory(): LogDestination & { lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    write(line) {
      lines.push(line);
    },
    async flush() {},
  };
}

describe("createLog", () => {
  test("writes one JSON object a line", () => {
    const destination = memory();
    createLog({ level: "info", format: "json", destination }).info({ request_id: "req_1", status: 200 }, "request");
    expect(destination.lines).toHaveLength(1);
    expect(destination.lines[0]).toEndWith("}\n");
    expect(JSON.parse(String(destination.lines[0]))).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: "req_1",
      status: 200,
      message: "request",
    });
  });

  test("leaves out lines below its level", () => {
    const destination = memory();
    const log = createLog({ level: "warn", format: "json", destination });
    log.debug({}, "one");
    log.info({}, "two");
    log.warn({}, "three");
    log.error({ error: new Error("why") }, "four");
    expect(destination.lines.map((line) => JSON.parse(line).message)).toEqual(["three", "four"]);
    expect(JSON.parse(String(destination.lines[1])).error).toMatchObject({ type: "Error", message: "why" });
  });

  test("a line whose fields have no JSON form keeps its message", () => {
    const destination = memory();
    const log = createLog({ level: "info", format: "json", destination });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    log.info({ circle }, "one");
    log.info({ count: 1n }, "two");
    expect(destination.lines.map((line) => JSON.parse(line))).toEqual([
      { level: "info", time: expect.any(String), message: "one" },
      { level: "info", time: expect.any(String), message: "two" },
    ]);
  });

  test.each(["json", "pretty"] as const)("keeps secrets out (%s)", (format) => {
    const destination = memory();
    const log = createLog({ level: "info", format, destination });
    log.info({ api_key: "hidden", authorization: "hidden", headers: { "x-api-key": "hidden", a: "shown" } }, "one");
    log.info({ note: `Bearer sk-tg-0123456789-${"hidden".repeat(8)}` }, `sk-tg-0123456789-${"hidden".repeat(8)}`);
    const text = destination.lines.join("");
    expect(text).not.toContain("hidden");
    expect(text).toContain("shown");
    expect(text).toContain("sk-tg-0123456789-[redacted]");
  });

  const requestLine: RequestLine = {
    requestId: "req_1",
    keyId: "k123456789",
    method: null,
    endpoint: "/v1/chat/completions",
    model: 'a "b"\n\ud800\u007f\u{1f600}',
    resolvedModel: "gpt-5-mini",
    provider: null,
    status: "failed",
    statusCode: 502,
    stream: true,
    attempts: 2,
    latencyMs: 12,
    dimensions: [
      { name: "input", quantity: 1_000, unit: "token" },
      { name: "second", quantity: 12.25, unit: "second" },
    ],
    amountMicrousd: 0,
    error: { type: "upstream_error", code: null },
    failure: { status: 404, code: null, message: 'The model "x" does not exist.' },
  };

  test.each([
    requestLine,
    { ...requestLine, dimensions: [], amountMicrousd: null, error: null, failure: null, keyId: null, method: "GET" },
  ])("a request's line is what its fields would be (%#)", (line) => {
    const destination = memory();
    const log = createLog({ level: "info", format: "json", destination });
    log.request(line);
    log.info(requestFields(line), "request");
    const [byTemplate, byFields] = destination.lines.map((text) => text.replace(/"time":"[^"]*"/, ""));
    expect(byTemplate).toBe(byFields ?? "");
    expect(destination.lines[0]).toMatch(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
  });

  test("a request's line has its level, its format, and no key", () => {
    const [warn, pretty, json] = [memory(), memory(), memory()];
    createLog({ level: "warn", format: "json", destination: warn }).request(requestLine);
    expect(warn.lines).toEqual([]);
    createLog({ level: "debug", format: "pretty", destination: pretty }).request(requestLine);
    expect(pretty.lines[0]).toMatch(/INFO.*: request \{"request_id":"req_1"/);
    const secret = `sk-tg-0123456789-${"hidden".repeat(8)}`;
    createLog({ level: "info", format: "json", destination: json }).request({ ...requestLine, model: secret });
    expect(JSON.parse(String(json.lines[0])).model).toBe("sk-tg-0123456789-[redacted]");
  });

  test("pretty is one readable line", () => {
    const destination = memory();
    createLog({ level: "info", format: "pretty", destination }).info({ status: 200 }, "request");
    expect(destination.lines).toHaveLength(1);
    expect(destination.lines[0]).toMatch(/INFO.*: request \{"status":200\}\n$/);
  });
});

describe("a log on standard output", () => {
  /** A process that logs `lines` lines, and tells on stderr that it lived on. */
  function logger(lines: number, ending: string) {
    const program = `
      import { createLog } from ${JSON.stringify(join(import.meta.dir, "log.ts"))};
      const log = createLog({ level: "info", format: "json" });
      for (let index = 0; index < ${lines}; index++) log.info({ index }, "line");
      ${ending}
      console.error("alive");
      process.exit(0);`;
    return Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
  }

  test.each([["await log.flush();"], [""]])(
    "all lines arrive, in order, also where the process exits (%j)",
    async (ending) => {
      const child = logger(1_000, ending);
      const lines = (await child.stdout.text()).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).index)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
      expect(await child.exited).toBe(0);
    },
  );

  test("a closed pipe does not end the process", async () => {
    const child = logger(
      1,
      "await log.flush(); for (let i = 0; i < 9; i++) { log.info({}, 'more'); await log.flush(); }",
    );
    await child.stdout.cancel();
    expect(await child.stderr.text()).toBe("alive\n");
    expect(await child.exited).toBe(0);
  });

  test("a reader that has stopped reading does not delay a stop", async () => {
    const child = logger(20_000, "await log.flush();");
    expect(await child.stderr.text()).toBe("alive\n");
    expect(await child.exited).toBe(0);
  });
});
