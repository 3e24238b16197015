import { afterAll, beforeAll, expect, test } from "bun:test";
import { falPublicKey, falWebhook } from "../../src/sandbox/fal/webhook.ts";
import type { Job } from "../../src/sandbox/jobs/job.ts";
import { replicateWebhookSecret } from "../../src/sandbox/replicate/webhook.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { freePort } from "../process.testkit.ts";
import { until } from "../until.testkit.ts";
import { requestOf, secondMicrousd, type ShownVideo, videosOf } from "./videos.testkit.ts";

/** Providers that tell of their jobs: those are asked for because of it alone, since the next poll is far away. */

const never = 600_000;
let gateway: TestGateway;
beforeAll(async () => {
  const port = await freePort();
  const webhook = (id: string, secret: string) => ({ secret, url: `http://127.0.0.1:${port}/v1/webhooks/${id}` });
  gateway = await startTestGateway({
    server: { port },
    times: { tickMs: 20, minPollMs: never, maxPollMs: never, leaseMs: 30_000, listMs: 100 },
    providers: (url) => {
      const { origin } = new URL(url);
      const fal = { dialects: ["fal" as const], baseUrl: `${origin}/fal`, apiKeys: ["key"] };
      return [
        { id: "queue", ...fal, webhook: webhook("queue", falPublicKey) },
        { id: "quiet", ...fal },
        {
          id: "predictions",
          dialects: ["replicate"],
          baseUrl: `${origin}/replicate/v1`,
          apiKeys: ["key"],
          webhook: webhook("predictions", replicateWebhookSecret),
        },
        { id: "chat", webhook: webhook("chat", "secret") },
      ];
    },
    models: [
      { id: "fal", provider: "queue", model: "fal-ai/kling-video/v2.1/master/text-to-video" },
      { id: "replicate", provider: "predictions", model: "kwaivgi/kling-v2.1-master" },
    ].map(({ id, provider, model }) => ({
      id,
      endpoints: ["videos"],
      targets: [{ provider, model }],
      prices: { video_second: secondMicrousd },
    })),
  });
});
afterAll(() => gateway.stop());

const videos = () => videosOf(gateway);
/** Begins a job, and waits for nothing. */
async function begin(model: string, job: object) {
  const prompt = `A cat ${crypto.randomUUID()} [[sandbox: ${JSON.stringify({ job })}]]`;
  const response = await videos().post({ model, seconds: 5, prompt });
  expect(response.status).toBe(200);
  return (await response.json()) as ShownVideo;
}
const send = (provider: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${gateway.url}/v1/webhooks/${provider}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
/** Log lines of webhooks that were answered so. */
const answeredWith = (status: number, provider: string) =>
  gateway.log.filter(({ fields }) => fields.endpoint === `/v1/webhooks/${provider}` && fields.status_code === status)
    .length;
/** A webhook that fal has signed. */
function signedBy(jobId: string) {
  const body = JSON.stringify({ request_id: jobId, status: "OK" });
  // Only the id of the job is signed.
  const job = { id: jobId } as Job;
  const headers = falWebhook(gateway.url)?.sign(job, body, Math.floor(Date.now() / 1_000)) ?? {};
  return { body, headers };
}

test.each([
  ["fal", "once", {}],
  ["fal", "twice", { webhook: "twice" }],
  ["replicate", "once", {}],
  ["replicate", "twice", { webhook: "twice" }],
])("a job of %s is asked for when its webhook comes %s, and is charged once", async (model, _times, faults) => {
  const { id } = await begin(model, { done_ms: 1_000, ...faults });
  expect(await videos().ended(id)).toMatchObject({ status: "completed", seconds: "5" });
  expect(await gateway.record(requestOf(id))).toMatchObject({
    status: "succeeded",
    billing: { amount_microusd: 5 * secondMicrousd },
  });
});

test.each([
  ["fal", "queue"],
  ["replicate", "predictions"],
])("a webhook of %s with a bad signature is refused, and changes nothing", async (model, provider) => {
  const refused = answeredWith(401, provider);
  const { id } = await begin(model, { done_ms: 10, webhook: "bad_signature" });
  await until("the webhook", () => answeredWith(401, provider) === refused + 1);
  const storage = await openStorage(gateway.storageUrl);
  const job = await storage.videoJobs.findAnyones(id);
  await storage.close();
  expect(job).toMatchObject({ status: "queued", phase: "running" });
  expect(job?.nextAt).toBeGreaterThan(Date.now() + never / 2);
});

test("a signed webhook of a job that is not known is taken, and changes nothing", async () => {
  const { body, headers } = signedBy("unknown");
  const answer = await send("queue", body, headers);
  expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
});

test.each([
  ["nobody", 404, "unknown_path"],
  ["quiet", 404, "unknown_path"],
  ["chat", 404, "unknown_path"],
  ["queue", 401, "invalid_signature"],
  ["predictions", 401, "invalid_signature"],
])("a webhook for %s without a signature is a %p", async (provider, status, code) => {
  const answer = await send(provider, '{"request_id":"x","id":"x"}');
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }]);
});

test("a signature of another body is refused", async () => {
  const { headers } = signedBy("one");
  expect((await send("queue", signedBy("two").body, headers)).status).toBe(401);
});

test("a webhook that is too large is refused before it is read whole", async () => {
  const { body, headers } = signedBy("large");
  expect((await send("queue", body.padEnd((1 << 20) + 1), headers)).status).toBe(413);
});
