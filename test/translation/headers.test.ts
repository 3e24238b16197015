import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callers, geminiEventsCaller, messagesCaller } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** The headers and query that reach a provider, and the places of a key. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const lastUpstream = () => {
  const request = gateway.sandbox.requests.at(-1);
  if (request === undefined) throw new Error("Nothing was sent.");
  return request;
};

describe("Anthropic's headers", () => {
  const ask = async (dialect: (typeof dialects)[number], headers: Record<string, string>, fields: object = {}) => {
    const response = await gateway.fetch("/v1/messages?beta=true", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ ...messagesCaller.body(modelOf(dialect), "Hi"), ...fields }),
    });
    return { status: response.status, body: await response.text() };
  };

  test.each(["2023-06-01", "2026-10-21"])("version %s and betas are forwarded", async (version) => {
    await ask("anthropic-messages", { "anthropic-version": version, "anthropic-beta": "a,b" });
    expect(lastUpstream().headers).toMatchObject({ "anthropic-version": version, "anthropic-beta": "a,b" });
  });

  test("a default version is added", async () => {
    expect((await ask("anthropic-messages", {})).status).toBe(200);
    expect(lastUpstream().headers).toMatchObject({ "anthropic-version": "2023-06-01" });
  });

  test("the vendor's error for its newest version reaches the caller as a 400", async () => {
    const headers = { "anthropic-version": "2026-10-21" };
    const refused = await ask("anthropic-messages", headers, { temperature: 1 });
    expect(refused).toEqual({
      status: 400,
      body: expect.stringContaining("temperature: Extra inputs are not permitted"),
    });
  });

  test("other vendors do not receive them", async () => {
    for (const dialect of ["openai-chat", "openai-responses", "gemini"] as const) {
      await ask(dialect, { "anthropic-version": "2023-06-01", "anthropic-beta": "a" });
      expect(Object.keys(lastUpstream().headers).filter((name) => name.startsWith("anthropic"))).toEqual([]);
    }
  });
});

describe.each(callers.map((caller) => [caller.name, caller] as const))("a caller of %s", (_name, caller) => {
  test.each(["authorization", "x-api-key", "x-goog-api-key", "key"])(
    "may bring the key in %s, and it goes no further",
    async (place) => {
      for (const dialect of dialects) {
        const path = caller.path(modelOf(dialect), false);
        const isHeader = place !== "key";
        const value = place === "authorization" ? `Bearer ${gateway.key}` : gateway.key;
        const response = await fetch(gateway.url + path + (isHeader ? "" : `?key=${gateway.key}`), {
          method: "POST",
          headers: {
            "content-type": "application/json",
            cookie: "session=secret",
            ...(isHeader ? { [place]: value } : {}),
          },
          body: JSON.stringify(caller.body(modelOf(dialect), "Hi")),
        });
        await response.text();
        expect([dialect, response.status]).toEqual([dialect, 200]);
        const { headers, path: upstreamPath } = lastUpstream();
        expect(JSON.stringify([headers, upstreamPath])).not.toContain(gateway.key);
        expect(headers).not.toHaveProperty("cookie");
      }
      expect(JSON.stringify(gateway.log)).not.toContain(gateway.key);
    },
  );
});

test.each([
  ["openai-chat", "/v1/chat/completions", "/v1/chat/completions"],
  ["openai-responses", "/v1/responses", "/v1/responses"],
  ["anthropic-messages", "/v1/messages", "/v1/messages"],
  [
    "gemini",
    "/v1beta/models/gemini-3-pro:generateContent",
    "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
  ],
] as const)("a provider of %s is asked at %s, and for a stream at %s", async (dialect, whole, streamed) => {
  for (const caller of callers) {
    for (const stream of [false, true]) {
      const response = await post(gateway, caller, modelOf(dialect), "Hi", { stream });
      await response.text();
      expect([caller.name, lastUpstream().path]).toEqual([caller.name, stream ? streamed : whole]);
    }
  }
});

test("a Gemini model may have the prefix `models/`, on the paths of both versions", async () => {
  for (const version of ["v1beta", "v1"]) {
    const response = await gateway.fetch(`/${version}/models/models%2F${modelOf("gemini")}:generateContent`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(geminiEventsCaller.body("", "Hi")),
    });
    expect(geminiEventsCaller.textOf(await response.json())).toBe("You said: Hi");
  }
});
