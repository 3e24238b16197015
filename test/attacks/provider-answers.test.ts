import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { chatAnswer, chatBody } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Answers of providers that are dear to read. */

const megabyte = 1e6;

const json =
  (make: (dialect: string) => string, headers: Readonly<Record<string, string>> = {}): Making =>
  (dialect) => {
    let body: Buffer | null = null;
    return (response) => {
      body ??= headers["content-encoding"] === "gzip" ? gzipSync(make(dialect)) : Buffer.from(make(dialect));
      response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
    };
  };
const event =
  (make: (dialect: string) => string): Making =>
  (dialect) => {
    const bytes = Buffer.from(`data: ${make(dialect)}\n\n`);
    return (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(bytes);
  };

type Making = (dialect: string) => Behaviour;

/** A good answer with this text or this member besides. */
const withMember = (dialect: string, member: string) => chatBody(dialect).replace(/^\{/, `{${member},`);
const withUsage = (dialect: string, usage: string) =>
  chatBody(dialect).replace(/"usage":\{/, `"usage":{"deep":${usage},`);
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** With the status that the caller is to see. */
const answers: Readonly<Record<string, readonly [making: Making, status: number, stream?: boolean]>> = {
  "a usage of 200,000 levels": [json((dialect) => withUsage(dialect, nested(200_000))), 502],
  "a usage of 7,000 levels": [json((dialect) => withUsage(dialect, nested(7_000))), 200],
  "gzip of 256 MB": [
    json((dialect) => withMember(dialect, `"x":"${"a".repeat(256 * megabyte)}"`), { "content-encoding": "gzip" }),
    502,
  ],
  "8 million objects": [json((dialect) => withMember(dialect, `"x":[${"{},".repeat(8e6)}{}]`)), 502],
  "a text of 16 MB": [json((dialect) => chatBody(dialect).replace("Hello", "a".repeat(16 * megabyte))), 200],
  "a text of 25 MB": [json((dialect) => chatBody(dialect).replace("Hello", "a".repeat(25 * megabyte))), 502],
  "an event of 5 million objects": [event((dialect) => withMember(dialect, `"x":[${"{},".repeat(5e6)}{}]`)), 502, true],
  "an event of 200,000 levels": [event((dialect) => withMember(dialect, `"x":${nested(200_000)}`)), 502, true],
  "an event of 7,000 levels": [event((dialect) => withMember(dialect, `"x":${nested(7_000)}`)), 0, true],
  "an event of 8 MB": [event((dialect) => withMember(dialect, `"x":"${"a".repeat(8 * megabyte)}"`)), 0, true],
};

const nameOf = (dialect: string, index: number) => `${dialect}-${index}`;
const dialects = ["openai-chat", "anthropic-messages"];

describe.skipIf(process.platform !== "linux")("answers of providers", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const making = Object.values(answers).map(([make]) => make);
    const models = Object.fromEntries(
      dialects.flatMap((dialect) =>
        making.map((make, index) => [nameOf(dialect, index), { dialect, behave: make(dialect) }]),
      ),
    );
    gateway = await startWatchedGateway({
      models: { ...models, good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") } },
    });
    for (let count = 0; count < 60; count++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  const cases = dialects.flatMap((dialect) =>
    Object.keys(answers).map((name, index) => [dialect, name, index] as const),
  );
  test.each(cases)("%s: %s", async (dialect, name, index) => {
    const [, expected, stream = false] = answers[name] ?? [null, 0];
    let status = 0;
    const { stall, unrecorded } = await gateway.attack(`${dialect}: ${name}`, async () => {
      const response = await gateway.chat({ model: nameOf(dialect, index), stream });
      status = response.status;
      await response.arrayBuffer();
    });
    // Whether a strange event begins an answer is for its dialect to say.
    if (expected > 0) expect(status).toBe(expected);
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });
});
