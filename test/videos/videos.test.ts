import { afterAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { readMp4 } from "../../src/videos/mp4.ts";
import { startReceiver } from "../../src/webhooks/receiver.testkit.ts";
import type { TestGatewayOptions } from "../gateway.testkit.ts";
import { onEachStorage } from "../records/storages.testkit.ts";
import { until } from "../until.testkit.ts";
import { providersAt, requestOf, secondMicrousd, type ShownVideo, videoModels, videosOf } from "./videos.testkit.ts";

/** `POST /v1/videos` and what belongs to it, through a whole gateway. */

const receiver = startReceiver();
afterAll(() => receiver.stop());
const webhook = {
  accountId: null,
  url: `${receiver.url}/hook`,
  secret: "a secret of more than 24 characters",
  events: ["video.*"],
  allowPrivate: true,
};

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const served = new Map<string, () => Response>();
/** Reached by the one address that may be fetched from though it is not public. */
const pictures = Bun.serve({
  port: 0,
  hostname: "0.0.0.0",
  fetch: ({ url }) => served.get(new URL(url).pathname)?.() ?? new Response("No.", { status: 404 }),
});
afterAll(() => pictures.stop(true));

const options = {
  providers: providersAt,
  models: videoModels,
  webhooks: [webhook],
  fetch: { allowHosts: ["127.0.0.1"] },
} satisfies TestGatewayOptions;

onEachStorage(options, (gateway) => {
  const client = () => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().key, maxRetries: 0 });
  const videos = (key?: string) => videosOf(gateway(), key);

  test("the official SDK makes, lists, retrieves, downloads, remixes and deletes a film", async () => {
    const sdk = client().videos;
    const made = await sdk.create({ model: "sandbox-video", prompt: "A blue bird.", seconds: "8", size: "1280x720" });
    expect(made).toMatchObject({
      object: "video",
      model: "sandbox-video",
      status: "queued",
      progress: 0,
      prompt: "A blue bird.",
      seconds: "8",
      size: "1280x720",
      completed_at: null,
      remixed_from_video_id: null,
      error: null,
    });
    expect(made.id).toMatch(/^video_[0-9a-z]{26}$/);
    expect(await videos().ended(made.id)).toMatchObject({ status: "completed", progress: 100, error: null });
    const done = await sdk.retrieve(made.id);
    expect(done).toMatchObject({ seconds: "8", size: "1280x720" });
    expect(done.expires_at).toBeGreaterThan(done.completed_at ?? Infinity);
    const content = await sdk.downloadContent(made.id);
    expect(content.headers.get("content-type")).toBe("video/mp4");
    expect(content.headers.get("x-content-type-options")).toBe("nosniff");
    expect(content.headers.get("content-disposition")).toContain(`attachment; filename="${made.id}.mp4"`);
    const bytes = new Uint8Array(await content.arrayBuffer());
    expect(await readMp4(async (start, end) => bytes.subarray(start, end), bytes.length)).toEqual({
      isWhole: true,
      seconds: 8,
      size: "1280x720",
    });
    for (const variant of ["thumbnail", "spritesheet"] as const) {
      const picture = await sdk.downloadContent(made.id, { variant });
      expect(picture.headers.get("content-type")).toBe("image/png");
      expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(500);
    }
    const remixed = await sdk.remix(made.id, { prompt: "The same bird, red." });
    expect(remixed).toMatchObject({ remixed_from_video_id: made.id, seconds: "8", size: "1280x720" });
    expect(await videos().ended(remixed.id)).toMatchObject({ status: "completed" });
    const listed = await sdk.list({ limit: 2 });
    expect(listed.data.map(({ id }) => id)).toEqual([remixed.id, made.id]);
    expect(await sdk.delete(made.id)).toEqual({ id: made.id, object: "video.deleted", deleted: true });
    for (const path of [`/${made.id}`, `/${made.id}/content`]) expect((await videos().fetch(path)).status).toBe(404);
    expect((await videos().fetch(`/${made.id}`, { method: "DELETE" })).status).toBe(404);
  });

  test("its record is pending, then final, with the seconds that were made", async () => {
    const response = await videos().post({ seconds: 4, prompt: "A cat. [video polls 4]" });
    expect(response.headers.get("x-service-amount-microusd")).toBeNull();
    const { id } = (await response.json()) as ShownVideo;
    expect(response.headers.get("x-service-request-id")).toBe(requestOf(id));
    const pending = await gateway().record(requestOf(id));
    expect(["pending", "succeeded"]).toContain(pending.status);
    await videos().ended(id);
    expect(await gateway().record(requestOf(id))).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/videos",
      usage: {
        dimensions: [{ name: "video_second", quantity: 4, unit: "second" }],
        measurement: { input: "local_estimate", output: "local_estimate" },
      },
      billing: { status: "charged", amount_microusd: 4 * secondMicrousd },
      routing: { chose_provider: "sandbox", resolved_model: "sandbox-video", attempts: 1 },
    });
  });

  test.each([
    [2, 2, false],
    [9, 4, true],
  ])("a film of %p seconds in place of 4 is charged as %p", async (made, charged, suspect) => {
    const { id } = (await (await videos().post({ prompt: `A cat. [video seconds ${made}]` })).json()) as ShownVideo;
    expect(await videos().ended(id)).toMatchObject({ status: "completed", seconds: String(made) });
    const { billing } = await gateway().record(requestOf(id));
    expect(billing).toMatchObject({ amount_microusd: charged * secondMicrousd, ...(suspect && { suspect }) });
  });

  test.each(["film-openai", "film-veo"])("%s begins with a picture", async (model) => {
    const made = await client().videos.create({
      model,
      prompt: "A bird.",
      seconds: "4",
      size: "1280x720",
      input_reference: await toFile(png, "bird.png", { type: "image/png" }),
    });
    expect(await videos().ended(made.id)).toMatchObject({ status: "completed", seconds: "4", size: "1280x720" });
    expect((await videos().fetch(`/${made.id}/content`)).status).toBe(200);
    expect((await gateway().record(requestOf(made.id))).billing.amount_microusd).toBe(4 * secondMicrousd);
  });

  test("Veo is sent the bytes of a picture that is given by its address", async () => {
    served.set("/bird.png", () => new Response(png, { headers: { "content-type": "image/png" } }));
    served.set("/page", () => new Response("<html></html>", { headers: { "content-type": "image/png" } }));
    served.set("/away", () => Response.redirect(`http://127.0.0.2:${pictures.port}/bird.png`, 302));
    const begin = (url: string) =>
      videos().post({ model: "film-veo", seconds: 4, size: "1280x720", input_reference: { image_url: url } });
    const host = `http://127.0.0.1:${pictures.port}`;
    const { id } = (await (await begin(`${host}/bird.png`)).json()) as ShownVideo;
    const sent = gateway().sandbox.requests.findLast(({ method }) => method === "POST")?.body ?? new Uint8Array();
    expect(JSON.parse(Buffer.from(sent).toString())).toMatchObject({
      instances: [{ image: { bytesBase64Encoded: png.toString("base64"), mimeType: "image/png" } }],
    });
    expect(await videos().ended(id)).toMatchObject({ status: "completed" });
    const { length } = gateway().sandbox.requests;
    const private2 = `http://127.0.0.2:${pictures.port}/bird.png`;
    for (const url of [`${host}/page`, `${host}/away`, `${host}/none`, private2, "data:image/png,abc"]) {
      const response = await begin(url);
      expect([url, response.status, await response.json()]).toMatchObject([
        url,
        400,
        { error: { param: "input_reference.image_url" } },
      ]);
    }
    expect(
      gateway()
        .sandbox.requests.slice(length)
        .filter(({ method }) => method === "POST"),
    ).toEqual([]);
  });

  test.each(["film-openai", "film-veo"])("%s begins with a picture that was uploaded before", async (model) => {
    const upload = async (content: Uint8Array | string, name: string) =>
      (await client().files.create({ purpose: "vision", file: await toFile(Buffer.from(content), name) })).id;
    const begin = (fileId: string) =>
      videos().post({ model, seconds: 4, size: "1280x720", input_reference: { file_id: fileId } });
    const fileId = await upload(png, "bird.png");
    const response = await begin(fileId);
    const { id } = (await response.json()) as ShownVideo;
    const sent = gateway().sandbox.requests.findLast(({ method }) => method === "POST")?.body ?? new Uint8Array();
    const expected = model === "film-veo" ? png.toString("base64") : png.toString("latin1");
    expect(Buffer.from(sent).toString("latin1")).toContain(expected);
    expect(await videos().ended(id)).toMatchObject({ status: "completed" });
    const refused = async (answer: Response) => [answer.status, await answer.json()] as const;
    expect(await refused(await begin(await upload("Notes.", "notes.txt")))).toMatchObject([
      400,
      { error: { param: "input_reference.file_id" } },
    ]);
    expect(await refused(await begin("file-unknown"))).toMatchObject([404, { error: { code: "file_not_found" } }]);
  });

  test("the bytes of a film in an answer of Veo's are kept too", async () => {
    const { id } = (await (
      await videos().post({ model: "film-veo", seconds: 5, size: "1280x720", prompt: "[video base64]" })
    ).json()) as ShownVideo;
    expect(await videos().ended(id)).toMatchObject({ status: "completed", seconds: "5" });
  });

  test.each([
    ["[video fails]", "video_generation_failed"],
    ["[video moderated]", "moderation_blocked"],
  ])("a job that fails late (%s) is free, and its film is not ready", async (prompt, code) => {
    const { id } = (await (await videos().post({ prompt })).json()) as ShownVideo;
    expect((await videos().fetch(`/${id}/content`)).status).toBe(409);
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code } });
    const content = await videos().fetch(`/${id}/content`);
    expect([content.status, await content.json()]).toMatchObject([409, { error: { code: "not_ready" } }]);
    expect(await gateway().record(requestOf(id))).toMatchObject({
      status: "failed",
      error: { code },
      billing: { status: "refunded", amount_microusd: 0 },
    });
  });

  test("what a provider refuses at once is refused at once, and leaves no job", async () => {
    const before = await (await videos().fetch("")).json();
    const response = await videos().post({ prompt: "[video refused]" });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: "prompt" } }]);
    expect(await (await videos().fetch("")).json()).toEqual(before);
    expect(await gateway().record(response.headers.get("x-service-request-id"))).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
  });

  test("a submit whose answer was lost is found in the provider's list, and charged once", async () => {
    const response = await videos().post({ prompt: `A lost cat ${crypto.randomUUID()}. [video lost]` });
    expect(response.status).toBe(200);
    const { id } = (await response.json()) as ShownVideo;
    await until("the end", async () => (await videos().show(id)).status === "completed", 30_000);
    expect((await gateway().record(requestOf(id))).billing.amount_microusd).toBe(4 * secondMicrousd);
  }, 60_000);

  test("where there is no list, a lost submit has failed, is marked and free", async () => {
    const { id } = (await (
      await videos().post({ model: "film-veo", seconds: 4, size: "1280x720", prompt: "[video lost]" })
    ).json()) as ShownVideo;
    await until("the end", async () => (await videos().show(id)).status === "failed", 30_000);
    expect(await videos().show(id)).toMatchObject({ error: { code: "uncertain" } });
    expect(await gateway().record(requestOf(id))).toMatchObject({
      status: "failed",
      error: { code: "uncertain" },
      billing: { amount_microusd: 0 },
    });
  }, 60_000);

  test("a cancelled job has failed for good, and is free", async () => {
    const { id } = (await (await videos().post({ prompt: "[video never]" })).json()) as ShownVideo;
    const cancelled = await videos().fetch(`/${id}/cancel`, { method: "POST" });
    expect(await cancelled.json()).toMatchObject({ id, status: "failed", error: { code: "cancelled" } });
    expect(await (await videos().fetch(`/${id}/cancel`, { method: "POST" })).json()).toMatchObject({
      status: "failed",
    });
    expect(await gateway().record(requestOf(id))).toMatchObject({
      status: "cancelled",
      billing: { amount_microusd: 0 },
    });
    await until("the provider is told", () =>
      gateway().sandbox.requests.some(({ method, path }) => method === "DELETE" && path.startsWith("/v1/videos/")),
    );
  });

  test("a job that is deleted while it runs is cancelled, and gone", async () => {
    const { id } = (await (await videos().post({ prompt: "[video never]" })).json()) as ShownVideo;
    expect((await videos().fetch(`/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await videos().fetch(`/${id}`)).status).toBe(404);
    expect(await gateway().record(requestOf(id))).toMatchObject({ status: "cancelled" });
  });

  test("a repetition under an Idempotency-Key gets the same job", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await videos().post({ prompt: "Once." }, key);
    const second = await videos().post({ prompt: "Once." }, key);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(await second.json()).toEqual(await first.json());
    const refused = { "idempotency-key": crypto.randomUUID() };
    for (let times = 0; times < 2; times++) {
      const response = await videos().post({ prompt: "[video refused]" }, refused);
      expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([400, null]);
    }
  });

  test("a part of a film", async () => {
    const { id } = (await (await videos().post({})).json()) as ShownVideo;
    await videos().ended(id);
    const whole = await (await videos().fetch(`/${id}/content`)).bytes();
    const part = await videos().fetch(`/${id}/content`, { headers: { range: "bytes=4-11" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 4-11/${whole.length}`]);
    expect(await part.bytes()).toEqual(whole.subarray(4, 12));
    const beyond = await videos().fetch(`/${id}/content`, { headers: { range: `bytes=${whole.length}-` } });
    expect(beyond.status).toBe(416);
  });

  test("another account sees none of it", async () => {
    const { id } = (await (await videos().post({})).json()) as ShownVideo;
    const account = `other-${crypto.randomUUID()}`;
    const admin = await gateway().newKey({ admin: true });
    const made = await gateway().fetch("/api/admin/accounts", {
      method: "POST",
      headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
      body: JSON.stringify({ id: account, name: account }),
    });
    expect(made.status).toBeLessThan(300);
    const { key } = await gateway().newKey({ accountId: account });
    const stranger = videos(key);
    for (const [path, method] of [
      [`/${id}`, "GET"],
      [`/${id}/content`, "GET"],
      [`/${id}/cancel`, "POST"],
      [`/${id}`, "DELETE"],
    ] as const) {
      const response = await stranger.fetch(path, { method });
      expect([path, method, response.status]).toEqual([path, method, 404]);
    }
    expect(await (await stranger.fetch("")).json()).toMatchObject({ data: [], has_more: false });
  });

  test("pages follow one another in both orders", async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      made.push(((await (await videos().post({ prompt: `Page ${count}` })).json()) as ShownVideo).id);
    }
    const walk = async (order: "asc" | "desc") => {
      const ids: string[] = [];
      for await (const { id } of client().videos.list({ order, limit: 2 })) ids.push(id);
      return ids.filter((id) => made.includes(id));
    };
    expect(await walk("asc")).toEqual(made);
    expect(await walk("desc")).toEqual(made.toReversed());
  });

  test.each([
    [{ prompt: undefined }, "prompt"],
    [{ prompt: " " }, "prompt"],
    [{ model: undefined }, "model"],
    [{ seconds: "long" }, "seconds"],
    [{ seconds: 5 }, "seconds"],
    [{ size: "640x480" }, "size"],
    [{ input_reference: { file_id: 1 } }, "input_reference.file_id"],
    [{ input_reference: { file_id: "file-1", image_url: "https://a.example/" } }, "input_reference"],
    [{ input_reference: { image_url: "ftp://a" } }, "input_reference"],
  ])("%j is refused, and the field is named", async (change, param) => {
    const response = await videos().post(change);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  test("each end is told to the webhooks, signed and once", async () => {
    const { id } = (await (await videos().post({ prompt: "Told." })).json()) as ShownVideo;
    await videos().ended(id);
    const mine = () => receiver.received.filter(({ body }) => body.includes(id));
    await until("the webhook", () => mine().length > 0);
    const [told] = mine();
    const event = JSON.parse(told?.body ?? "{}") as { data: ShownVideo };
    expect(event).toMatchObject({ type: "video.completed", data: { id, status: "completed" } });
    const { webhooks } = new OpenAI({ apiKey: "none", webhookSecret: webhook.secret });
    await webhooks.verifySignature(told?.body ?? "", told?.headers ?? {});
  });
});
