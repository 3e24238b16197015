import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DialectName } from "../dialects/names.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { anthropicSdk } from "./anthropic.testkit.ts";
import { dialects, embeddingModelOf, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { googleSdk } from "./google.testkit.ts";
import { openaiChatSdk } from "./openai-chat.testkit.ts";
import { openaiResponsesSdk } from "./openai-responses.testkit.ts";
import type { Ask, Sdk, SdkSession } from "./session.testkit.ts";
import { createTable } from "./table.testkit.ts";
import { vercelAiSdk } from "./vercel-ai.testkit.ts";

/** One scenario with each official SDK at a provider of each dialect. */

const sdks = [openaiChatSdk, openaiResponsesSdk, anthropicSdk, googleSdk, vercelAiSdk];
const table = createTable("SDK and step \\ provider", dialects);

let gateway: TestGateway;
/** The ids of the SDKs' requests, in order. */
const requestIds: string[] = [];
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(async () => {
  await gateway.stop();
  process.stdout.write(`\n${table.write()}\n`);
});

/** The usage that all providers report, and its cost. */
const tokens = { input: 100, cache_read: 40, output: 30, reasoning: 10 };
const dimensions = [
  { name: "input", quantity: 60, unit: "token" },
  { name: "cache_read", quantity: 40, unit: "token" },
  { name: "output", quantity: 30, unit: "token" },
];
const amount = 60 + 20 + 60;

const text = "Bright and clear.";
const thought = "Two cities are named.";
const cities = [{ city: "Paris" }, { city: "Rome" }];
const calls = cities.map((city) => ({ name: "get_weather", arguments: city }));
const afterTheTools = "get_weather says 20 degrees; get_weather says 21 degrees";
const png = "iVBORw0KGgo=";

const scripted = (script: object) => `Hi [[sandbox: ${JSON.stringify({ tokens, ...script })}]]`;

/** One cell: a session of an SDK, and the dialect of the provider. */
interface Cell {
  readonly sdk: Sdk;
  readonly dialect: DialectName;
  readonly session: SdkSession;
  readonly connect: (key: string) => SdkSession;
  readonly ask: (script: object, more?: Partial<Ask>) => Ask;
}

const steps: Readonly<Record<string, (cell: Cell) => Promise<void>>> = {
  async plain({ session, ask }) {
    expect(await session.ask(ask({ text }))).toMatchObject({ text, reasoning: "", input: 100, output: 30, pieces: 1 });
    await expectRecords(1);
  },
  async streamed({ session, ask }) {
    const said = await session.stream(ask({ text }));
    expect(said).toMatchObject({ text, reasoning: "", input: 100, output: 30 });
    expect(said.pieces).toBeGreaterThan(1);
    await expectRecords(1);
  },
  "tool loop": (cell) => expectLoop(cell, false),
  "tool loop, streamed": (cell) => expectLoop(cell, true),
  async image({ session, ask }) {
    const said = await session.ask(ask({}, { image: png }));
    expect(said.text).toContain("I see 1 image (image/png, 8 bytes)");
    await expectRecords(1);
  },
  async "structured output"({ session, ask }) {
    expect(await session.person(ask({}))).toEqual({ name: "Ada", age: 1 });
    await expectRecords(1);
  },
  async reasoning({ session, ask }) {
    const said = await session.stream(ask({ text, reasoning: thought }, { reasoning: true }));
    expect(said).toMatchObject({ text, reasoning: thought, input: 100, output: 30 });
    await expectRecords(1);
  },
  "reasoning kept over a tool loop": (cell) => expectReasoningKept(cell, false),
  "reasoning kept, streamed": (cell) => expectReasoningKept(cell, true),
  async count({ session, ask }) {
    const counted = await session.count?.(ask({}, { prompt: "How many are these?" }));
    expect(counted).toBeGreaterThan(3);
    expect(counted).toBeLessThan(20);
  },
  async embeddings({ session, dialect }) {
    const vectors = (await session.embed?.(embeddingModelOf(dialect), ["One.", "Another."])) ?? [];
    expect(vectors.map((vector) => Math.round(Math.hypot(...vector)))).toEqual([1, 1]);
    const record = await gateway.eventualRecord(requestIds.at(-1) ?? "");
    expect(record).toMatchObject({
      status: "succeeded",
      endpoint: expect.stringMatching(/embed/i),
      billing: { status: "charged" },
    });
    expect(record.billing.amount_microusd).toBe(record.usage.prompt_tokens);
  },
  async "leaving mid-stream"({ session, ask }) {
    await session.leave(ask({ text, fault: { kind: "stall", after: 6 }, chunks: 12 }));
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
    const record = await gateway.eventualRecord(requestIds.at(-1) ?? "");
    expect(record).toMatchObject({ status: "cancelled", billing: { status: "charged" } });
  },
  "error 400": (cell) => expectFailure(cell, 400, { fault: { kind: "status", status: 400 } }),
  async "error 401"(cell) {
    await expectFailure({ ...cell, session: cell.connect("sk-other") }, 401, {});
  },
  async "error 403"(cell) {
    const { key } = await gateway.newKey({ scopes: { models: ["other"] } });
    await expectFailure({ ...cell, session: cell.connect(key) }, 403, {});
  },
  "error 404": ({ ask, ...cell }) =>
    expectFailure({ ...cell, ask: (script) => ask(script, { model: "nobody" }) }, 404, {}),
  "error 422": (cell) => expectFailure(cell, 422, { fault: { kind: "status", status: 422 } }),
  async "error 429"(cell) {
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const session = cell.connect(key);
    await session.ask(cell.ask({ text }));
    await expectFailure({ ...cell, session }, 429, {});
  },
  "error 502": (cell) => expectFailure(cell, 502, { fault: { kind: "status", status: 500 } }),
  "error 503": (cell) => expectFailure(cell, 503, { fault: { kind: "status", status: 529 } }),
  "error 504": (cell) => expectFailure(cell, 504, { fault: { kind: "status", status: 504 } }),
  async "error mid-stream"({ session, ask }) {
    const thrown = await session
      .stream(ask({ text, chunks: 12, fault: { kind: "error_event", after: 6 } }))
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Error);
    const record = await gateway.eventualRecord(requestIds.at(-1) ?? "");
    expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
  },
};

/** Steps that do not apply to a provider. */
const gaps: Readonly<Partial<Record<string, string>>> = {
  "embeddings at anthropic-messages": "this vendor has no embeddings",
};

async function expectLoop({ session, ask }: Cell, streamed: boolean): Promise<void> {
  const looped = await session.loop(ask({ turns: [{ tool_calls: calls }] }, { tools: true }), streamed);
  expect(looped).toEqual({ calls: cities, text: expect.stringContaining(afterTheTools) });
  await expectRecords(2);
}

/** The reasoning that the provider gets back in the next turn of the loop. */
const handedBack: Readonly<Record<DialectName, string>> = {
  "openai-chat": `"reasoning_content":"${thought}"`,
  "openai-responses": '"encrypted_content":"gAAAAAB',
  "anthropic-messages": '"signature":"',
  gemini: '"thoughtSignature":"',
};

async function expectReasoningKept({ session, ask, dialect }: Cell, streamed: boolean): Promise<void> {
  const turns = [{ reasoning: thought, tool_calls: calls }];
  const looped = await session.loop(ask({ turns }, { tools: true, reasoning: true }), streamed);
  expect(looped).toEqual({ calls: cities, text: expect.stringContaining(afterTheTools) });
  expect(lastUpstreamBody()).toContain(handedBack[dialect]);
  await expectRecords(2);
}

async function expectFailure({ sdk, session, ask }: Cell, status: number, script: object): Promise<void> {
  const thrown = await session.ask(ask(script)).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error("Nothing was thrown.");
  const { status: told, statusCode } = thrown as { status?: number; statusCode?: number };
  // Classes of bundled SDKs may have other names than their exports.
  const names = [thrown.name, thrown.constructor.name];
  expect({ names, status: told ?? statusCode }).toEqual({
    names: expect.arrayContaining([sdk.errorName(status)]),
    status,
  });
  expect(requestIds.at(-1)).toStartWith("req_");
}

/** Checks that the newest requests succeeded and have the same charge, for all SDKs and providers. */
async function expectRecords(count: number): Promise<void> {
  expect(requestIds.length).toBe(count);
  for (const id of requestIds) {
    const record = await gateway.eventualRecord(id);
    expect(record).toMatchObject({
      status: "succeeded",
      usage: { prompt_tokens: 100, completion_tokens: 30, measurement: { input: "provider", output: "provider" } },
      billing: { amount_microusd: amount, status: "charged" },
      routing: { attempts: 1 },
    });
    expect(record.usage.dimensions.toSorted(byName)).toEqual(dimensions.toSorted(byName));
  }
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) => one.name.localeCompare(other.name);

function lastUpstreamBody(): string {
  return new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);
}

/** A `fetch` for the SDKs that collects request ids. */
const watchedFetch = Object.assign(
  async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init);
    requestIds.push(response.headers.get("x-service-request-id") ?? "");
    return response;
  },
  { preconnect: fetch.preconnect },
);

describe.each(sdks.map((sdk) => [sdk.name, sdk] as const))("%s", (_name, sdk) => {
  describe.each(Object.entries(steps))("%s", (step, run) => {
    test.each(dialects.map((dialect) => [dialect]))("at %s", async (dialect) => {
      const row = `${sdk.name}: ${step}`;
      const gap = sdk.gaps[step] ?? sdk.gaps[`${step} at ${dialect}`] ?? gaps[`${step} at ${dialect}`];
      if (gap !== undefined) {
        table.set(row, dialect, "-");
        table.note(`${sdk.name}, ${step}: ${gap}`);
        return;
      }
      table.set(row, dialect, "FAILED");
      const connect = (key: string) => sdk.connect({ url: gateway.url, key, fetch: watchedFetch });
      const ask = (script: object, more: Partial<Ask> = {}): Ask => ({
        model: modelOf(dialect),
        prompt: scripted(script),
        ...more,
      });
      requestIds.length = 0;
      await run({ sdk, dialect, session: connect(gateway.key), connect, ask });
      table.set(row, dialect, "ok");
    });
  });
});
