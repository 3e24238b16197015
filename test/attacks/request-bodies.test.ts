import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { chatAnswer } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Bodies of callers that are dear to read. */

const megabyte = 1e6;

/** A chat request with some JSON in a field. */
const chat = (model: string, field: string, value: string) =>
  `{"model":"${model}","messages":[{"role":"user","content":"Hi"}],"${field}":${value}}`;
const message = (model: string, content: string) =>
  `{"model":"${model}","messages":[{"role":"user","content":${content}}]}`;
/** A chat request whose tool takes what a schema says. */
const tool = (model: string, schema: string) =>
  chat(model, "tools", `[{"type":"function","function":{"name":"f","parameters":{"type":"object","enum":${schema}}}}]`);
const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join();
const members = (count: number) => `{${list(count, (index) => `"key${index}":0`)}}`;

const json =
  (body: object): Behaviour =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
const contents = 100;
const vectors = {
  embedding: { values: [1] },
  embeddings: Array.from({ length: contents }, () => ({ values: [1] })),
};
const openaiVectors = { data: Array.from({ length: contents }, (_, index) => ({ index, embedding: [1] })) };

describe.skipIf(process.platform !== "linux")("bodies of requests", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const answers = (dialect: string) => ({ dialect, behave: chatAnswer(dialect) });
    gateway = await startWatchedGateway({
      models: {
        chat: answers("openai-chat"),
        messages: answers("anthropic-messages"),
        google: { dialect: "gemini", behave: json(vectors), model: { endpoints: ["embeddings"] } },
        openai: { dialect: "openai-chat", behave: json(openaiVectors), model: { endpoints: ["embeddings"] } },
      },
    });
    // The first request of a cold process is not measured.
    for (let count = 0; count < 60; count++) {
      for (const model of ["chat", "messages"]) await (await gateway.chat({ model })).text();
    }
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  async function send(
    name: string,
    path: string,
    body: string | Uint8Array,
    status: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const bytes = Buffer.from(body);
    let answer = { status: 0, text: "" };
    const { stall, unrecorded } = await gateway.attack(name, async () => {
      const response = await gateway.post(path, bytes, headers);
      answer = { status: response.status, text: await response.text() };
    });
    expect({ ...answer, text: answer.text.slice(0, 300) }).toMatchObject({ status });
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  }

  /** None of these can be read in bounded time, so each is refused. */
  const structures: Readonly<Record<string, () => string>> = {
    "10 million empty objects": () => chat("chat", "messages", `[${"{},".repeat(10e6)}{}]`),
    "10 million numbers": () => chat("chat", "metadata", `[${"1,".repeat(10e6)}1]`),
    "2 million members": () => chat("chat", "metadata", members(2e6)),
    "15 million arrays, one in the other": () => chat("chat", "messages", "[".repeat(15e6)),
    "300 levels": () => chat("chat", "metadata", "[".repeat(300) + "]".repeat(300)),
    "50,000 members": () => chat("chat", "metadata", members(50_000)),
    "150,000 long numbers": () => chat("chat", "metadata", `[${list(150_000, () => "12345678901234567890")}]`),
    "15 million line ends": () => message("chat", `"${"\\n".repeat(15e6)}"`),
    "7 million escaped quotes": () => message("chat", `"${'ab\\"'.repeat(7e6)}"`),
    "31 MB of spaces": () => chat("chat", "metadata", " ".repeat(31 * megabyte) + "1"),
    "a number of 31 MB": () => chat("chat", "metadata", "1".repeat(31 * megabyte)),
  };
  test.each(Object.entries(structures))("%s: refused", async (name, body) => {
    await send(name, "/v1/chat/completions", body(), 400);
  });

  const bomb = `{"model":"chat","messages":[]${" ".repeat(200 * megabyte)}}`;
  const bombs: Readonly<Record<string, () => Uint8Array>> = {
    gzip: () => gzipSync(bomb),
    deflate: () => deflateSync(bomb),
    br: () => brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: () => zstdCompressSync(bomb),
    "gzip, gzip": () => gzipSync(gzipSync(bomb)),
  };
  test.each(Object.entries(bombs))("200 MB of spaces in %s: refused", async (coding, compress) => {
    await send(`a bomb in ${coding}`, "/v1/chat/completions", compress(), 413, { "content-encoding": coding });
  });

  test("a body of 20 MB in gzip is read", async () => {
    const body = message("chat", `"${"a".repeat(20 * megabyte)}"`);
    await send("20 MB in gzip", "/v1/chat/completions", gzipSync(body), 200, { "content-encoding": "gzip" });
  });

  test("explain refuses them too", async () => {
    const body = chat("chat", "messages", `[${"{},".repeat(10e6)}{}]`);
    await send("explain: 10 million empty objects", "/api/routes/explain", body, 400);
  });

  /** JSON within a string of the body, which a provider of another dialect is given as JSON. */
  const callOf = (json: string, index = 0) =>
    `{"id":"c${index}","type":"function","function":{"name":"f","arguments":${JSON.stringify(json)}}}`;
  const calls = (model: string, all: string) =>
    `{"model":"${model}","messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[${all}]},` +
    `{"role":"tool","tool_call_id":"c0","content":"ok"}]}`;
  const withinStrings: Readonly<Record<string, () => string>> = {
    "200,000 levels": () => callOf(`{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
    "7,000 levels": () => callOf(`{"a":${"[".repeat(7_000)}${"]".repeat(7_000)}}`),
    "9 million objects": () => callOf(`{"a":[${"{},".repeat(9e6)}{}]}`),
    "150 calls of 50,000 objects": () => list(150, (index) => callOf(`{"a":[${"{},".repeat(50_000)}{}]}`, index)),
  };
  test.each(Object.entries(withinStrings))("%s in the arguments of tool calls: refused", async (name, all) => {
    await send(`arguments: ${name}`, "/v1/chat/completions", calls("messages", all()), 400);
  });

  /** What stands in place of signatures of other vendors. */
  const sealed: Readonly<Record<string, () => string>> = {
    "100 signatures of 200 KB": () => list(100, () => `tollgate.google..0.${"abc+".repeat(50_000)}`),
    "1,000 signatures with ids of 4 KB": () => list(1_000, () => `tollgate.google..4000.${"a".repeat(4_000)}abc`),
    "100 signatures without an end": () => list(100, () => `tollgate.${"a".repeat(200_000)}`),
  };
  test.each(Object.entries(sealed))("%s in redacted blocks", async (name, all) => {
    const blocks = all()
      .split(",")
      .map((data) => `{"type":"redacted_thinking","data":"${data}"}`);
    const body =
      `{"model":"chat","max_tokens":9,"messages":[{"role":"user","content":"Hi"},` +
      `{"role":"assistant","content":[${blocks.join()},{"type":"text","text":"Yes"}]},{"role":"user","content":"Hi"}]}`;
    await send(name, "/v1/messages", body, 200);
  });

  /** The max size of a realistic request. */
  const large: Readonly<Record<string, (model: string) => string>> = {
    "an image of 20 MB": (model) => {
      const url = `data:image/png;base64,${"A".repeat(20 * megabyte)}`;
      return message(model, `[{"type":"image_url","image_url":{"url":"${url}"}}]`);
    },
    "a text of 31 MB": (model) => message(model, `"${"a".repeat(31 * megabyte)}"`),
    "a text of 28 MB in emoji": (model) => message(model, `"${"😀".repeat(7 * megabyte)}"`),
    "a text of 30 MB in Latin letters and others": (model) => message(model, `"${"aä漢".repeat(5 * megabyte)}"`),
    "a text of 30 MB in two bytes a letter": (model) => message(model, `"${"ä".repeat(15 * megabyte)}"`),
    "11,000 messages": (model) =>
      `{"model":"${model}","messages":[${list(11_000, (i) => `{"role":"user","content":"Message ${i}"}`)}]}`,
    "14,000 members": (model) => tool(model, members(14_000)),
    "55,000 texts": (model) => tool(model, `[${list(55_000, (i) => `"text ${i}"`)}]`),
    "18,000 equal members": (model) => tool(model, `[${list(18_000, (i) => `{"key":"text ${i}"}`)}]`),
    "55,000 objects": (model) => tool(model, `[${list(55_000, () => "{}")}]`),
    "50,000 texts and a long number": (model) =>
      tool(model, `[12345678901234567890,${list(50_000, (i) => `"text ${i}"`)}]`),
    "450,000 numbers": (model) => tool(model, `[${list(450_000, () => "1")}]`),
    "20,000 long numbers": (model) => tool(model, `[${list(20_000, () => "12345678901234567890")}]`),
    "1.4 million letters written as escapes": (model) => message(model, `"${"\\u6f22".repeat(1.4e6)}"`),
  };
  /** Texts to embed. */
  const embedded: Readonly<Record<string, readonly [path: string, body: () => string]>> = {
    "embedContent of 30 MB": [
      "google:embedContent",
      () => `{"content":{"parts":[{"text":"${"a".repeat(30 * megabyte)}"}]}}`,
    ],
    "embedContent of 30 MB in two bytes a letter": [
      "google:embedContent",
      () => `{"content":{"parts":[{"text":"${"ä".repeat(15 * megabyte)}"}]}}`,
    ],
    "batchEmbedContents of 29 MB": ["google:batchEmbedContents", () => batch(contents, "a".repeat(290_000))],
    "batchEmbedContents of 29 MB in three bytes a letter": [
      "google:batchEmbedContents",
      () => batch(contents, "漢".repeat(96_000)),
    ],
    "batchEmbedContents of 29 MB to OpenAI": ["openai:batchEmbedContents", () => batch(contents, "a".repeat(290_000))],
  };
  const batch = (count: number, text: string) =>
    `{"requests":[${list(count, () => `{"content":{"parts":[{"text":"${text}"}]}}`)}]}`;
  test.each(Object.entries(embedded))("%s", async (name, [path, body]) => {
    await send(name, `/v1beta/models/${path}`, body(), 200);
  });

  test("embeddings of 29 MB", async () => {
    const input = list(contents, () => `"${"a".repeat(290_000)}"`);
    for (const model of ["openai", "google"]) {
      await send(`embeddings of 29 MB at ${model}`, "/v1/embeddings", `{"model":"${model}","input":[${input}]}`, 200);
    }
  });

  for (const model of ["chat", "messages"]) {
    test.each(Object.entries(large))(`${model}: %s`, async (name, body) => {
      await send(`${model}: ${name}`, "/v1/chat/completions", body(model), 200);
    });
  }
});
