import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { compactRecord } from "../../src/records/compact-record.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer } from "../money/payer.testkit.ts";
import { until } from "../until.testkit.ts";
import { providersAt, requestOf, secondMicrousd, type ShownVideo, videoModels, videosOf } from "./videos.testkit.ts";

/** Jobs whose providers or callers do not do as they should, and time that passes. */

const hour = 3_600_000;
const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    providers: (url) => [
      ...providersAt(url),
      { id: "down", dialects: ["openai-chat"], baseUrl: "http://127.0.0.1:9" },
      { id: "mute", dialects: ["anthropic-messages"], baseUrl: url },
    ],
    models: [
      ...videoModels,
      {
        id: "second-choice",
        endpoints: ["videos"],
        targets: [
          { provider: "down", model: "sandbox-video" },
          { provider: "openai", model: "sandbox-video" },
        ],
        prices: { video_second: secondMicrousd },
      },
      {
        id: "silent",
        endpoints: ["videos"],
        targets: [{ provider: "openai", model: "sandbox-silent" }],
        prices: { video_second: secondMicrousd },
      },
      { id: "mute", endpoints: ["videos"], targets: [{ provider: "mute", model: "m" }], prices: { video_second: 1 } },
    ],
  });
});
afterAll(() => gateway.stop());

const videos = (key?: string) => videosOf(gateway, key);
const begin = async (body: object, key?: string) => {
  const response = await videos(key).post(body);
  return { response, ...((await response.json()) as ShownVideo) };
};
const adminJobs = async () => {
  const { key } = await gateway.newKey({ admin: true });
  const response = await gateway.fetch("/api/admin/videos?unpaid=true", {
    headers: { authorization: `Bearer ${key}` },
  });
  return (await response.json()) as { data: { id: string; provider_cost_microusd: number | null }[] };
};

test.each(["[video truncated]", "[video html]"])(
  "a film that is none (%s) fails in the end, and costs its caller nothing",
  async (prompt) => {
    const { id } = await begin({ prompt });
    const shown = await videos().ended(id);
    expect(shown).toMatchObject({ status: "failed", error: { code: "content_unavailable" } });
    expect((await gateway.record(requestOf(id))).billing.amount_microusd).toBe(0);
    expect((await adminJobs()).data).toContainEqual(
      expect.objectContaining({ id, provider_cost_microusd: 4 * secondMicrousd }),
    );
  },
);

test("a job past its deadline has failed for good, is free, and a late success is the operator's cost", async () => {
  const { id } = await begin({ prompt: "[video never] [video ignores_cancel]" });
  clock.advance(hour + 1);
  expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "deadline_exceeded" } });
  expect(await gateway.record(requestOf(id))).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
});

test.each(["[video polls 6]", "[video never]"])(
  "a job whose record is final already (%s) ends, and is not taken up again",
  async (prompt) => {
    const { id } = await begin({ prompt });
    const storage = await openStorage(gateway.storageUrl);
    const record = await storage.records.findAnyones(requestOf(id));
    if (record === null) throw new Error("There is a pending record.");
    await storage.records.insertAll([compactRecord({ ...record, status: "failed" })]);
    if (prompt.includes("never")) await videos().fetch(`/${id}/cancel`, { method: "POST" });
    const code = prompt.includes("never") ? "cancelled" : "interrupted";
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code } });
    await until("nothing is left to do", async () => (await storage.videoJobs.findAnyones(id))?.phase === "over");
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ level: "error", fields: { job: id, request_id: requestOf(id) } }),
    );
    expect((await gateway.record(requestOf(id))).billing.amount_microusd).toBe(0);
    await storage.close();
  },
);

test("a film that comes after its job was cancelled does not revive it, and its cost is kept", async () => {
  const { id } = await begin({ prompt: "[video polls 6] [video ignores_cancel]" });
  await videos().fetch(`/${id}/cancel`, { method: "POST" });
  await until("the provider's cost", async () => {
    const { data } = await adminJobs();
    return data.some((job) => job.id === id && job.provider_cost_microusd === 4 * secondMicrousd);
  });
  expect(await videos().show(id)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  expect((await gateway.record(requestOf(id))).billing.amount_microusd).toBe(0);
});

test("a film expires, and its bytes go", async () => {
  const { id } = await begin({});
  await videos().ended(id);
  clock.advance(7 * 24 * hour + 1);
  const content = await videos().fetch(`/${id}/content`);
  expect([content.status, await content.json()]).toMatchObject([404, { error: { code: "video_not_found" } }]);
  expect(await videos().show(id)).toMatchObject({ status: "completed" });
});

test("the next provider is asked if one cannot be reached", async () => {
  const { id, response } = await begin({ model: "second-choice" });
  expect(response.headers.get("x-service-attempts")).toBe("2");
  expect(await videos().ended(id)).toMatchObject({ status: "completed" });
  expect(await gateway.record(requestOf(id))).toMatchObject({ routing: { chose_provider: "openai", attempts: 2 } });
});

test("a model whose provider makes no films is refused", async () => {
  const { response } = await begin({ model: "mute" });
  expect(response.status).toBe(400);
});

test("a caller that leaves while its job is submitted still has the job", async () => {
  const prompt = `A caller that leaves ${crypto.randomUUID()}.`;
  const leaving = new AbortController();
  const sent = videos().fetch("", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox-video", prompt }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 1);
  await sent.catch(() => undefined);
  const { data } = (await (await videos().fetch("")).json()) as { data: (ShownVideo & { prompt: string })[] };
  // It may have left before its request was read.
  const job = data.find((each) => each.prompt === prompt);
  if (job) expect(await videos().ended(job.id)).toMatchObject({ status: "completed" });
});

describe("a prepaid account", () => {
  test("holds what the film costs at most, and pays what was made", async () => {
    const storage = await openStorage(gateway.storageUrl);
    const hold = 4 * secondMicrousd + 6;
    const payer = await createPayer(gateway, storage, hold);
    const { key } = payer;
    const account = () => payer.account();
    const { id, response } = await begin({ prompt: "[video polls 20] [video seconds 2]" }, key);
    expect(response.status).toBe(200);
    expect(await account()).toMatchObject({ balance_microusd: hold, held_microusd: hold });
    expect((await begin({}, key)).response.status).toBe(402);
    await videos(key).ended(id);
    expect(await account()).toMatchObject({ balance_microusd: hold - 2 * secondMicrousd, held_microusd: 0 });
    const refused = await begin({ prompt: "[video refused]", seconds: undefined }, key);
    expect([402, 400]).toContain(refused.response.status);
    expect(await account()).toMatchObject({ held_microusd: 0 });
    await storage.close();
  });
});
