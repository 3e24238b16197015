import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** HTTP on every path: methods, preflights, and error responses with an id. */

const page = "https://app.example";

let open: TestGateway;
let restricted: TestGateway;
beforeAll(async () => {
  open = await startTestGateway();
  restricted = await startTestGateway({ cors: { origins: [page, "http://localhost:3000"] } });
});
afterAll(async () => {
  await open.stop();
  await restricted.stop();
});

const chat = "/v1/chat/completions";
const paths: Readonly<Record<string, string>> = {
  [chat]: "POST, OPTIONS",
  "/v1/models": "GET, HEAD, OPTIONS",
  "/api/models/catalog": "GET, HEAD, OPTIONS",
  "/api/usage/requests/req_x": "GET, HEAD, OPTIONS",
  "/": "GET, HEAD, OPTIONS",
  "/healthz": "GET, HEAD, OPTIONS",
  "/readyz": "GET, HEAD, OPTIONS",
};

async function expectEnvelope(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toStartWith("application/json");
  const id = response.headers.get("x-service-request-id");
  expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(response.headers.get("x-request-id")).toBe(id);
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code, request_id: id, message: expect.any(String) });
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "request_id", "type"]);
}

describe("methods", () => {
  const wrong = Object.entries(paths).flatMap(([path, allow]) =>
    ["GET", "POST", "PUT", "PATCH", "DELETE"]
      .filter((method) => !allow.includes(method))
      .map((method) => [method, path, allow] as const),
  );
  test.each(wrong)("%s %s: 405", async (method, path, allow) => {
    const response = await open.fetch(path, { method, body: method === "GET" ? undefined : "{}" });
    expect(response.headers.get("allow")).toBe(allow);
    await expectEnvelope(response, 405, "method_not_allowed");
  });

  test.each(Object.entries(paths))("OPTIONS %s lists the methods", async (path, allow) => {
    const response = await fetch(open.url + path, { method: "OPTIONS" });
    expect([response.status, response.headers.get("allow")]).toEqual([204, allow]);
    expect(response.headers.get("x-service-request-id")).toStartWith("req_");
  });

  test.each(["/v1/models", "/api/models/catalog", "/healthz", "/readyz"])(
    "HEAD %s is GET without a body",
    async (path) => {
      const head = await open.fetch(path, { method: "HEAD" });
      const get = await open.fetch(path);
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(head.headers.get("x-service-request-id")).toStartWith("req_");
      await get.arrayBuffer();
    },
  );

  test("HEAD on a POST path: 405", async () => {
    const response = await open.fetch(chat, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  test.each(["/v1", "/v1/chat", "/v1/chat/completions/x", "/V1/models", "/api/usage", "/x?key=secret-words"])(
    "%s: 404",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const response = await open.fetch(path, { method });
        await expectEnvelope(response, 404, "unknown_path");
      }
      expect(JSON.stringify(open.log)).not.toContain("secret-words");
    },
  );
});

describe("any origin, by default", () => {
  test("a preflight allows the headers that SDKs send in browsers", async () => {
    const response = await fetch(open.url + chat, {
      method: "OPTIONS",
      headers: {
        origin: page,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-os",
      },
    });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "authorization,content-type,x-stainless-os",
      "access-control-max-age": expect.stringMatching(/^\d+$/),
    });
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("answers, streams and errors are readable, with the exposed headers", async () => {
    const origin = { origin: page };
    const responses = await Promise.all([
      open.chat({}, { headers: origin }),
      open.chat({ stream: true }, { headers: origin }),
      open.chat({ model: "nobody" }, { headers: origin }),
      fetch(open.url + chat, { method: "POST", headers: origin }),
      open.fetch("/v1/models", { headers: origin }),
      open.fetch("/nowhere", { headers: origin }),
      open.fetch("/healthz", { method: "PUT", headers: origin }),
    ]);
    expect(responses.map((response) => response.status)).toEqual([200, 200, 404, 401, 200, 404, 405]);
    for (const response of responses) {
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const exposed = response.headers.get("access-control-expose-headers")?.toLowerCase() ?? "";
      for (const name of [
        "x-service-request-id",
        "x-service-amount-microusd",
        "x-service-max-tokens",
        "retry-after",
        "x-ratelimit-remaining-requests",
      ])
        expect(exposed).toContain(name);
      await response.arrayBuffer();
    }
  });

  test("without an origin there are no CORS headers", async () => {
    const response = await open.fetch("/v1/models");
    await response.arrayBuffer();
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("origins that the configuration restricts", () => {
  test.each([page, "http://localhost:3000"])("%s may read", async (origin) => {
    const response = await restricted.chat({}, { headers: { origin } });
    await response.arrayBuffer();
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("vary")).toContain("Origin");
  });

  test.each(["https://evil.example", `${page}.evil.example`, "https://APP.example:444", "null"])(
    "%s may not",
    async (origin) => {
      const headers = { origin, "access-control-request-method": "POST" };
      for (const method of ["OPTIONS", "POST"]) {
        const response = await restricted.fetch(chat, { method, headers });
        await response.arrayBuffer();
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
        expect(response.headers.get("vary")).toContain("Origin");
      }
    },
  );
});
