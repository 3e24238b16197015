import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { callers } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Faults of providers of each dialect, in the error format of callers of each. */

let gateway: TestGateway;
const clock = createTestClock();
beforeAll(async () => {
  gateway = await startDialectGateway({
    clock,
    timeouts: { connectMs: 200, firstByteMs: 250, idleMs: 250, totalMs: 2_000 },
  });
});
afterAll(() => gateway.stop());
// Waits that a provider asked for end before the next test.
afterEach(() => clock.advance(10_000));

const before: Readonly<Record<string, { fault: object; status: number; code: string }>> = {
  "status 500": { fault: { kind: "status", status: 500 }, status: 502, code: "upstream_error" },
  "status 401": { fault: { kind: "status", status: 401 }, status: 502, code: "upstream_error" },
  "status 429": { fault: { kind: "status", status: 429 }, status: 429, code: "provider_rate_limit" },
  "status 504": { fault: { kind: "status", status: 504 }, status: 504, code: "first_byte_timeout" },
  "HTML error page": { fault: { kind: "html" }, status: 502, code: "upstream_error" },
  "empty body": { fault: { kind: "empty_body" }, status: 502, code: "upstream_invalid_response" },
  "200 with an error": { fault: { kind: "error_body" }, status: 502, code: "upstream_error" },
  "error event first": { fault: { kind: "error_first" }, status: 502, code: "upstream_error" },
  "malformed JSON": { fault: { kind: "malformed_json", after: 0 }, status: 502, code: "upstream_invalid_response" },
  "end before any event": { fault: { kind: "end", after: 0 }, status: 502, code: "upstream_invalid_response" },
  stall: { fault: { kind: "stall", at: "first_byte" }, status: 504, code: "first_byte_timeout" },
  reset: { fault: { kind: "reset" }, status: 502, code: "upstream_unreachable" },
};

/** Late enough for some output in each dialect. */
const after = 5;
const midway: Readonly<Record<string, { fault: object; code: string }>> = {
  cut: { fault: { kind: "cut", after }, code: "upstream_invalid_response" },
  "a proper end without a finish": { fault: { kind: "end", after }, code: "upstream_invalid_response" },
  stall: { fault: { kind: "stall", after }, code: "idle_timeout" },
  "error event": { fault: { kind: "error_event", after, message: "Tired." }, code: "upstream_error" },
  "malformed JSON": { fault: { kind: "malformed_json", after }, code: "upstream_invalid_response" },
  "truncated JSON": { fault: { kind: "truncated_json", after }, code: "upstream_invalid_response" },
};

describe.each(callers.map((caller) => [caller.name, caller] as const))("to a caller of %s", (_name, caller) => {
  describe.each(dialects.map((dialect) => [dialect]))("from %s", (dialect) => {
    const cases = Object.entries(before).flatMap(([name, fault]) =>
      [false, true].map((stream) => [name, stream, fault] as const),
    );
    // Time limits do not depend on the dialect, so slow faults are tested in one form.
    const isFirst = dialect === dialects[0];
    const quick = cases.filter(([name, stream]) => name !== "stall" || (stream && isFirst));
    const quickMidway = Object.entries(midway).filter(([name]) => name !== "stall" || isFirst);

    test.each(quick)("%s (stream: %p)", async (_fault, stream, { fault, status, code }) => {
      const response = await post(gateway, caller, modelOf(dialect), scripted({ fault }), { stream });
      const requestId = requestIdOf(response);
      expect(response.status).toBe(status);
      expect(response.headers.get(caller.idHeader)).toBe(requestId);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(await response.json()).toEqual(caller.envelope({ status, code, requestId }));
      expect(await gateway.record(requestId)).toMatchObject({
        status: "failed",
        error: { code },
        billing: { amount_microusd: 0, line_items: [] },
        routing: { status_code: status, attempts: 1 },
      });
    });

    test.each(quickMidway)("after the first byte: %s", async (_fault, { fault, code }) => {
      const prompt = scripted({ fault, chunks: 12, chunk_delay_ms: 2 });
      const response = await post(gateway, caller, modelOf(dialect), prompt, { stream: true });
      const requestId = requestIdOf(response);
      expect(response.status).toBe(200);
      const stream = await response.text();
      if (caller.lastWord !== null) expect(stream).not.toContain(caller.lastWord);
      expect(stream).toContain("You");
      expect(caller.brokenOff(stream)).toMatchObject(
        caller.name === "responses"
          ? { type: "error", error: { code } }
          : caller.envelope({ status: code === "idle_timeout" ? 504 : 502, code, requestId }),
      );
      expect(stream.includes("The provider failed: Tired.")).toBe(code === "upstream_error");
      expect(await gateway.record(requestId)).toMatchObject({
        status: "failed",
        error: { code },
        billing: { amount_microusd: 0, status: "refunded" },
        routing: { status_code: 200 },
      });
    });
  });

  test("a request rejected by a provider keeps its status, in the caller's error format", async () => {
    for (const dialect of dialects) {
      const prompt = scripted({ fault: { kind: "status", status: 422, message: "No, thank you." } });
      const response = await post(gateway, caller, modelOf(dialect), prompt);
      expect(response.status).toBe(422);
      expect(JSON.stringify(await response.json())).toContain("No, thank you.");
    }
  });
});
