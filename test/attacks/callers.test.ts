import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatAnswer } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Callers who flood, who write impossible bounds, and who speak of a provider's account. */

const credit = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.";

/** What a provider says of a request in which the caller wrote the words of an account without credit. */
const refusals: Readonly<Record<string, object>> = {
  "openai-chat": { error: { message: `Invalid value: '${credit}'.`, type: "invalid_request_error", param: "user" } },
  "openai-responses": {
    error: { message: `Invalid value: '${credit}'.`, type: "invalid_request_error", param: "user" },
  },
  "anthropic-messages": {
    type: "error",
    error: { type: "invalid_request_error", message: `metadata.user_id: '${credit}' is not valid` },
  },
  gemini: { error: { code: 400, status: "INVALID_ARGUMENT", message: `Invalid value: '${credit}'.` } },
};

const refusing =
  (body: object): Behaviour =>
  (response) =>
    void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));

describe.skipIf(process.platform !== "linux")("callers", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const echoes = Object.entries(refusals).map(([dialect, body]) => [dialect, { dialect, behave: refusing(body) }]);
    gateway = await startWatchedGateway({
      models: {
        good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") },
        ...(Object.fromEntries(echoes) as Record<string, { dialect: string; behave: Behaviour }>),
      },
    });
    for (let count = 0; count < 60; count++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  const authorized = (key: string) => ({ authorization: `Bearer ${key}` });

  async function statuses(times: number, ask: (index: number) => Promise<Response>): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    const one = async (index: number) => {
      const response = await ask(index);
      await response.arrayBuffer();
      found.set(response.status, (found.get(response.status) ?? 0) + 1);
    };
    for (let at = 0; at < times; at += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => one(at + index)));
    return found;
  }

  /** Rows and bytes of the log that an attack adds; it is made once, since its limits last a minute. */
  async function flood(name: string, ask: (key: string, index: number) => Promise<Response>, limits = {}) {
    const key = await gateway.newKey(limits);
    let [rows, bytes] = [gateway.records().length, gateway.log().length];
    let found = new Map<number, number>();
    const { stall, unrecorded } = await gateway.attack(`2,000 x ${name}`, async () => {
      [rows, bytes] = [gateway.records().length, gateway.log().length];
      found = await statuses(2_000, (index) => ask(key, index));
      await Bun.sleep(200);
    });
    expect(stall).toBeLessThan(maxStall);
    // Below 0 if the gateway answered, and recorded, without a provider.
    expect(unrecorded).toBeLessThanOrEqual(0);
    return { found, rows: gateway.records().length - rows, bytes: gateway.log().length - bytes };
  }

  test("an unknown model: rows and log are bounded", async () => {
    const { rows, bytes } = await flood("an unknown model", (key) => gateway.chat({ model: "none" }, authorized(key)));
    expect(rows).toBeLessThanOrEqual(60);
    expect(bytes).toBeLessThan(100_000);
  });

  test("beyond a key's limits: no rows, and the log is bounded", async () => {
    const ask = (key: string) => gateway.chat({ model: "good" }, authorized(key));
    const { rows, bytes } = await flood("beyond a key's limits", ask, { requestsPerMinute: 1 });
    expect(rows).toBeLessThanOrEqual(1);
    expect(bytes).toBeLessThan(100_000);
  });

  test("callers that leave before their body is there: rows and log are bounded", async () => {
    const { port } = new URL(gateway.url);
    const { rows, bytes } = await flood("leaving before the body", async (key) => {
      const gone = Promise.withResolvers<void>();
      const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 9\r\n\r\n`;
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(head, () => setTimeout(() => socket.destroy(), 5));
      });
      socket.on("error", () => {});
      socket.on("close", () => gone.resolve());
      await gone.promise;
      return new Response();
    });
    expect(rows).toBeLessThanOrEqual(60);
    expect(bytes).toBeLessThan(100_000);
  });

  test("a bad key, and unknown paths: no rows, and the log is bounded", async () => {
    const { found, rows, bytes } = await flood("a bad key or path", (key, index) =>
      index % 2 === 0
        ? gateway.chat({ model: "good" }, authorized(`sk-wrong-${index}`))
        : gateway.post(`/nowhere/${index}`, "{}", authorized(key)),
    );
    expect([...found.keys()].toSorted((a, b) => a - b)).toEqual([401, 404]);
    expect(rows).toBe(0);
    expect(bytes).toBeLessThan(500_000);
  });

  test("token counts: rows are bounded", async () => {
    const body = JSON.stringify({ model: "good", messages: [{ role: "user", content: "Hi" }] });
    const { rows } = await flood("token counts", (key) =>
      gateway.post("/v1/messages/count_tokens", body, authorized(key)),
    );
    expect(rows).toBeLessThanOrEqual(600);
  });

  const negative: Readonly<Record<string, string>> = {
    "/v1/chat/completions": `"messages":[{"role":"user","content":"Hi"}],"max_tokens":-1000000`,
    "/v1/completions": `"prompt":"Hi","max_tokens":-1000000`,
    "/v1/messages": `"messages":[{"role":"user","content":"Hi"}],"max_tokens":-1000000`,
    "/v1/responses": `"input":"Hi","max_output_tokens":-1000000`,
    "/v1beta/models/good:generateContent": `"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":-1000000}`,
  };
  test.each(Object.entries(negative))("a negative bound on %s is refused, and lifts no limit", async (path, fields) => {
    const key = await gateway.newKey({ tokensPerMinute: 1_000 });
    const body = path.includes("models") ? `{${fields}}` : `{"model":"good",${fields}}`;
    const { stall, unrecorded } = await gateway.attack(`a negative bound on ${path}`, async () => {
      for (let times = 0; times < 5; times++) {
        const response = await gateway.post(path, body, authorized(key));
        expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 400 });
      }
    });
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
    const large = await gateway.chat({ model: "good", max_tokens: 2_000 }, authorized(key));
    expect(large.status).toBe(400);
  });

  test.each(Object.keys(refusals))(
    "words of an account without credit, echoed by %s: others are served",
    async (dialect) => {
      const { stall, unrecorded } = await gateway.attack(`"credit balance" at ${dialect}`, async () => {
        const attacker = authorized(await gateway.newKey());
        for (let times = 0; times < 10; times++) {
          const response = await gateway.chat({ model: dialect, user: credit }, attacker);
          await response.arrayBuffer();
          expect(response.status).toBe(400);
        }
        // The provider is still asked: it refuses this one too, instead of the gateway with 503.
        const other = await gateway.chat({ model: dialect }, authorized(await gateway.newKey()));
        await other.arrayBuffer();
        expect(other.status).toBe(400);
      });
      expect(stall).toBeLessThan(maxStall);
      expect(unrecorded).toBe(0);
    },
  );

  test("six bodies of 10 million empty objects at once are refused, in bounded memory", async () => {
    const body = Buffer.from(`{"model":"good","messages":[${"{},".repeat(10e6)}{}]}`);
    const { stall, growth, unrecorded } = await gateway.attack("6 x 10 million empty objects at once", async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => gateway.post("/v1/chat/completions", body)));
      for (const answer of answers) {
        await answer.arrayBuffer();
        expect(answer.status).toBe(400);
      }
    });
    expect(stall).toBeLessThan(maxStall);
    // The bodies themselves are 180 MB, twice while their pieces are joined.
    expect(growth).toBeLessThan(700);
    expect(unrecorded).toBe(0);
  });

  test("six texts of 31 MB at once are served one after the other", async () => {
    const body = Buffer.from(`{"model":"good","messages":[{"role":"user","content":"${"a".repeat(31e6)}"}]}`);
    const { stall, unrecorded } = await gateway.attack("6 texts of 31 MB at once", async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => gateway.post("/v1/chat/completions", body)));
      for (const answer of answers) {
        await answer.arrayBuffer();
        expect(answer.status).toBe(200);
      }
    });
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });

  test("impossible figures for explain", async () => {
    const { stall, unrecorded } = await gateway.attack("explain with 1e16 and n: 1e300", async () => {
      for (const [fields, status] of [
        [`"max_tokens":1e16`, 200],
        [`"max_tokens":1e300`, 200],
        [`"max_tokens":-1e16`, 400],
        [`"n":1e300`, 400],
        [`"n":-1`, 400],
      ] as const) {
        const body = `{"model":"good","messages":[{"role":"user","content":"Hi"}],${fields}}`;
        const response = await gateway.post("/api/routes/explain", body);
        expect({ fields, status: response.status, text: await response.text() }).toMatchObject({ fields, status });
      }
    });
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });
});
