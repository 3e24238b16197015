import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { findingsOf } from "../money/scene.testkit.ts";
import { until } from "../until.testkit.ts";
import { filmOf } from "./hostile-provider.testkit.ts";
import { type HostileQueue, type QueuePlan, startHostileQueue } from "./hostile-queue.testkit.ts";
import { requestOf, secondMicrousd, type ShownVideo, videosOf } from "./videos.testkit.ts";

/** Queues of fal's and Replicate's that answer in ways that no queue should. */

const clock = createTestClock();
const film = 4 * secondMicrousd;
const wideMicrousd = 3 * secondMicrousd;
let queue: HostileQueue;
let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  queue = startHostileQueue();
  gateway = await startTestGateway({
    clock,
    providers: () => [
      { id: "fal", dialects: ["fal"], baseUrl: queue.fal, apiKeys: ["fal-key"] },
      { id: "replicate", dialects: ["replicate"], baseUrl: queue.replicate, apiKeys: ["replicate-key"] },
      { id: "twin", dialects: ["replicate"], baseUrl: queue.replicate, apiKeys: ["replicate-key"] },
    ],
    models: ["fal", "replicate", "twin"].map((provider) => ({
      id: provider,
      endpoints: ["videos"],
      targets: [{ provider, model: "owner/minimax-film" }],
      prices: { video_second: { default: secondMicrousd, "640x64": wideMicrousd } },
    })),
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  expect(await findingsOf(storage)).toEqual([]);
  await storage.close();
  await gateway.stop();
  await queue.stop();
});

const both = ["fal", "replicate"] as const;
const videos = () => videosOf(gateway);
async function begin(model: (typeof both)[number] | "twin", plan: QueuePlan, fields: object = {}) {
  const request = { model, prompt: crypto.randomUUID() as string, seconds: 4, ...fields };
  queue.plan(request.prompt, plan);
  const response = await videos().post(request);
  expect(response.status).toBe(200);
  return (await response.json()) as ShownVideo;
}
const amountOf = async (id: string) => (await gateway.record(requestOf(id))).billing.amount_microusd;

describe("a result of fal's with", () => {
  const word = { detail: "I am a teapot." };
  test.each<[number, unknown]>([
    [418, word],
    [409, word],
    [425, word],
    [302, word],
    [400, "<html>Bad request</html>"],
    [422, null],
    [500, "oops"],
    [502, { detail: "Bad gateway" }],
    [401, { detail: "Authentication is required" }],
    [404, { detail: "Request not found" }],
    [429, { detail: [{ msg: "Slow down.", type: "rate_limit" }] }],
  ])("the status %p and %j says nothing of the job, which goes on", async (status, body) => {
    const { id } = await begin("fal", {
      result: (count, { url }) => (count < 3 ? Response.json(body, { status }) : { video: { url } }),
    });
    expect(await videos().ended(id)).toMatchObject({ status: "completed" });
    expect(await amountOf(id)).toBe(film);
  });

  test.each<[number, object, string]>([
    [400, word, "provider_failed"],
    [422, { detail: [{ loc: ["body"], msg: "No.", type: "value_error" }] }, "value_error"],
    [422, { detail: [{ loc: ["body"], msg: "No.", type: "content_policy_violation" }] }, "moderation_blocked"],
    [500, { detail: "Internal Server Error" }, "provider_failed"],
    [503, { detail: "Gone.", error_type: "runner_disconnected" }, "runner_disconnected"],
    [504, { detail: [{ loc: ["body"], msg: "Late.", type: "generation_timeout" }] }, "generation_timeout"],
  ])("the status %p and %j is the end, and free", async (status, body, code) => {
    const { id } = await begin("fal", { result: () => Response.json(body, { status }) });
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code } });
    expect(await amountOf(id)).toBe(0);
  });
});

describe.each(both)("a film of %s", (model) => {
  test("has no thumbnail", async () => {
    const { id } = await begin(model, {});
    await videos().ended(id);
    const response = await videos().fetch(`/${id}/content?variant=thumbnail`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: "variant" } }]);
  });

  const made = (width: number) => ({ file: () => new Response(filmOf(4, width)) });

  test("costs what its size costs, as measured", async () => {
    const { id } = await begin(model, made(640));
    expect(await videos().ended(id)).toMatchObject({ status: "completed", size: "640x64" });
    expect(await amountOf(id)).toBe(4 * wideMicrousd);
  });

  test("costs what its asked size costs if its own has no price", async () => {
    const { id } = await begin(model, made(656), { size: "640x64" });
    expect(await videos().ended(id)).toMatchObject({ status: "completed", size: "656x64" });
    expect(await amountOf(id)).toBe(4 * wideMicrousd);
    const other = await begin(model, made(656));
    await videos().ended(other.id);
    expect(await amountOf(other.id)).toBe(film);
  });
});

describe("a job that was cancelled while its submit is uncertain", () => {
  const lost = () => new Response("{");
  const over = async (id: string) => {
    await until("the end", async () => (await storage.videoJobs.findAnyones(id))?.phase === "over");
    return storage.videoJobs.findAnyones(id);
  };
  const cancel = (id: string) => videos().fetch(`/${id}/cancel`, { method: "POST" });
  const cancelsOf = (prompt: string) => {
    const { providerJobId } = jobOf.get(prompt) ?? {};
    return queue.requests.filter(({ path }) => path.endsWith(`/predictions/${providerJobId}/cancel`)).length;
  };
  const jobOf = new Map<string, { readonly providerJobId: string }>();
  const running = (_: number, { id }: { readonly id: string }) => ({ id, status: "processing" });

  test("is found at its provider, and cancelled there", async () => {
    let isListed = false;
    const prompt = crypto.randomUUID();
    const plan: QueuePlan = {
      submit({ id }) {
        jobOf.set(prompt, { providerJobId: id });
        return lost();
      },
      status: running,
      isListed: () => isListed,
    };
    const { id } = await begin("replicate", plan, { prompt });
    await cancel(id);
    isListed = true;
    expect(await over(id)).toMatchObject({ status: "failed", providerJobId: jobOf.get(prompt)?.providerJobId });
    expect(cancelsOf(prompt)).toBe(1);
    expect(await amountOf(id)).toBe(0);
  });

  test("is found too if its submit ends after that, and what it has cost is kept", async () => {
    const release = Promise.withResolvers<void>();
    const prompt = crypto.randomUUID();
    queue.plan(prompt, {
      async submit({ id }) {
        jobOf.set(prompt, { providerJobId: id });
        await release.promise;
        return lost();
      },
      isListed: () => isReleased,
    });
    let isReleased = false;
    const posted = videos().post({ model: "replicate", prompt, seconds: 4 });
    await until("the submit", () => jobOf.has(prompt));
    const { data } = (await (await videos().fetch("")).json()) as { data: (ShownVideo & { prompt: string })[] };
    const id = data.find((each) => each.prompt === prompt)?.id ?? "";
    await cancel(id);
    // It is looked for in vain, until its submit has ended.
    await over(id);
    isReleased = true;
    release.resolve();
    await posted;
    await until("the cost", async () => (await storage.videoJobs.findAnyones(id))?.providerCostMicrousd === film);
    expect(await videos().show(id)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    expect(await amountOf(id)).toBe(0);
  });
});

describe("two providers of one account", () => {
  test("do not take on each other's job if one submit is lost", async () => {
    const made: string[] = [];
    const prompt = crypto.randomUUID();
    const plan: QueuePlan = {
      submit(job) {
        made.push(job.id);
        // The second one is lost, and was never made.
        return made.length === 1 ? { id: job.id, status: "starting" } : new Response("{");
      },
      isListed: ({ id }) => id === made[0],
    };
    const first = await begin("replicate", plan, { prompt });
    const second = await begin("twin", plan, { prompt });
    expect(await videos().ended(first.id)).toMatchObject({ status: "completed" });
    expect(await videos().ended(second.id)).toMatchObject({ status: "failed", error: { code: "uncertain" } });
  });

  test("do not take on one job if both submits are lost", async () => {
    const made: string[] = [];
    const prompt = crypto.randomUUID();
    const plan: QueuePlan = {
      submit(job) {
        made.push(job.id);
        return new Response("{");
      },
      isListed: ({ id }) => id === made[0],
    };
    const jobs = await Promise.all((["replicate", "twin"] as const).map((model) => begin(model, plan, { prompt })));
    for (const { id } of jobs) {
      expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "uncertain" } });
      expect(await amountOf(id)).toBe(0);
    }
  });
});
