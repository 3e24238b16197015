import { expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import type { TestGatewayOptions } from "../gateway.testkit.ts";
import { onEachStorage } from "../records/storages.testkit.ts";
import { until } from "../until.testkit.ts";
import { requestOf, secondMicrousd, type ShownVideo, videosOf } from "./videos.testkit.ts";

/** Films by the jobs of fal and Replicate. */
const options = {
  providers: (url) => {
    const { origin } = new URL(url);
    return [
      { id: "queue", dialects: ["fal"], baseUrl: `${origin}/fal`, apiKeys: ["key"] },
      { id: "predictions", dialects: ["replicate"], baseUrl: `${origin}/replicate/v1`, apiKeys: ["key"] },
    ];
  },
  models: [
    { id: "fal", provider: "queue", model: "fal-ai/kling-video/v2.1/master/text-to-video" },
    { id: "fal-veo", provider: "queue", model: "fal-ai/veo3" },
    { id: "replicate", provider: "predictions", model: "kwaivgi/kling-v2.1-master" },
  ].map(({ id, provider, model }) => ({
    id,
    endpoints: ["videos"],
    targets: [{ provider, model }],
    prices: { video_second: secondMicrousd },
  })),
} satisfies TestGatewayOptions;

const says = (script: object) => `A cat ${crypto.randomUUID()} [[sandbox: ${JSON.stringify(script)}]]`;

onEachStorage(options, (gateway) => {
  const videos = () => videosOf(gateway());
  const begin = async (body: object) => {
    const response = await videos().post({ seconds: 5, ...body });
    expect(response.status).toBe(200);
    return (await response.json()) as ShownVideo;
  };
  const sent = (index: number) =>
    JSON.parse(new TextDecoder().decode(gateway().sandbox.requests[index]?.body)) as unknown;
  const isSubmit = ({ method }: { readonly method: string }) => method === "POST";

  test.each(["fal", "replicate"])("%s makes a film, which is charged by its seconds", async (model) => {
    const { id } = await begin({ model, prompt: "A cat", size: "1280x720", negative_prompt: "blur", surprise: 1 });
    expect(await videos().ended(id)).toMatchObject({ status: "completed", seconds: "5" });
    const content = await videos().fetch(`/${id}/content`);
    expect([content.status, content.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    expect((await content.bytes()).length).toBeGreaterThan(1_000);
    expect(await gateway().record(requestOf(id))).toMatchObject({
      status: "succeeded",
      billing: { amount_microusd: 5 * secondMicrousd },
    });
    const input = { prompt: "A cat", aspect_ratio: "16:9" };
    const submitted = sent(gateway().sandbox.requests.findLastIndex(isSubmit));
    expect(submitted).toEqual(
      model === "fal"
        ? { ...input, negative_prompt: "blur", duration: "5" }
        : { input: { ...input, negative_prompt: "blur", duration: 5 } },
    );
  });

  test("a picture goes to the app that begins with one", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const sdk = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().key, maxRetries: 0 }).videos;
    for (const [model, path, field] of [
      ["fal", "/fal/fal-ai/kling-video/v2.1/master/image-to-video", "image_url"],
      ["fal-veo", "/fal/fal-ai/veo3/image-to-video", "image_url"],
      ["replicate", "/replicate/v1/models/kwaivgi/kling-v2.1-master/predictions", "start_image"],
    ] as const) {
      const made = await sdk.create({
        model,
        prompt: "A bird.",
        seconds: model === "fal-veo" ? "8" : ("5" as "8"),
        size: "1280x720",
        input_reference: await toFile(png, "bird.png", { type: "image/png" }),
      });
      const at = gateway().sandbox.requests.findLastIndex(isSubmit);
      expect(gateway().sandbox.requests[at]?.path).toBe(path);
      const input = model === "replicate" ? (sent(at) as { input: unknown }).input : sent(at);
      expect(input).toMatchObject({ [field]: `data:image/png;base64,${png.toString("base64")}` });
      expect(await videos().ended(made.id)).toMatchObject({ status: "completed" });
    }
  });

  test.each(["fal", "replicate"])("a job of %s that fails late is free", async (model) => {
    const { id } = await begin({
      model,
      prompt: says({ job: { fails: "NSFW content", code: "content_policy_violation" } }),
    });
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "moderation_blocked" } });
    expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(0);
  });

  test("what fal finds wrong with an input fails the job, and is free", async () => {
    const { id } = await begin({ model: "fal", seconds: 7 });
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "value_error" } });
    expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(0);
  });

  test("what Replicate finds wrong with an input is refused at once", async () => {
    const response = await videos().post({ model: "replicate", seconds: 7 });
    expect([response.status, await response.json()]).toMatchObject([422, { error: { param: "seconds" } }]);
  });

  test.each(["fal", "replicate"])("%s is asked again if a question fails in passing", async (model) => {
    const { id } = await begin({ model, prompt: says({ job: { failing_polls: 2 } }) });
    expect(await videos().ended(id)).toMatchObject({ status: "completed" });
  });

  test.each(["fal", "replicate"])(
    "a cancelled job is cancelled at %s, and stays so if it ends nevertheless",
    async (model) => {
      const { id } = await begin({ model, prompt: says({ job: { never_done: true, done_after_cancel: true } }) });
      const cancelled = await videos().fetch(`/${id}/cancel`, { method: "POST" });
      expect(await cancelled.json()).toMatchObject({ status: "failed", error: { code: "cancelled" } });
      await until("the provider is told", () =>
        gateway().sandbox.requests.some(({ path }) => path.endsWith("/cancel")),
      );
      expect(await videos().show(id)).toMatchObject({ status: "failed" });
      expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(0);
    },
  );

  test("a submit to Replicate whose answer was lost is found in its list, and charged once", async () => {
    const { id } = await begin({ model: "replicate", prompt: says({ fault: { kind: "close" } }) });
    await until("the end", async () => (await videos().show(id)).status === "completed", 30_000);
    expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(5 * secondMicrousd);
  }, 60_000);

  test("fal has no list: a lost submit has failed, and is free", async () => {
    const { id } = await begin({ model: "fal", prompt: says({ fault: { kind: "close" } }) });
    await until("the end", async () => (await videos().show(id)).status === "failed", 30_000);
    expect(await videos().show(id)).toMatchObject({ error: { code: "uncertain" } });
    expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(0);
  }, 60_000);

  test.each(["fal", "replicate"])(
    "what is no film at %s's address is none",
    async (model) => {
      const { id } = await begin({ model, prompt: says({ job: { file: "html" } }) });
      await until("the end", async () => (await videos().show(id)).status === "failed", 30_000);
      expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(0);
    },
    60_000,
  );
});
