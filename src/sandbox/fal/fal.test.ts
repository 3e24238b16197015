import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApiError, createFalClient, ValidationError } from "@fal-ai/client";
import { startSandbox, type Sandbox } from "../server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({});
});
afterAll(() => sandbox.stop());

/** The vendor's own client, whose requests go to the sandbox. */
function client(credentials = "key") {
  const origin = new URL(sandbox.url).origin;
  return createFalClient({
    credentials,
    requestMiddleware: async (request) => ({
      ...request,
      url: request.url.replace("https://queue.fal.run", `${origin}/fal`),
    }),
    retry: { maxRetries: 0 },
  }).queue;
}

interface Pictures {
  readonly images: readonly { readonly url: string; readonly width: number; readonly content_type: string }[];
}

const flux = "fal-ai/flux/dev";
const says = (script: object) => `A boat [[sandbox: ${JSON.stringify(script)}]]`;

async function failureOf(work: Promise<unknown>): Promise<ApiError<unknown>> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`No error of the API: ${String(error)}`);
}

test("the vendor's client submits a job, asks for it and gets pictures", async () => {
  const queue = client();
  const input = { prompt: "A boat", num_images: 2, image_size: { width: 640, height: 480 } };
  const { request_id: requestId, status } = await queue.submit(flux, { input });
  expect(status).toBe("IN_QUEUE");
  const seen: string[] = [];
  for (let polls = 0; seen.at(-1) !== "COMPLETED" && polls < 5; polls++) {
    seen.push((await queue.status(flux, { requestId })).status);
  }
  expect(seen).toEqual(["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]);
  const result = await queue.result(flux, { requestId });
  const { images } = result.data as Pictures;
  expect(images).toHaveLength(2);
  expect(images[0]).toMatchObject({ width: 640, content_type: "image/png" });
  const bytes = await (await fetch(images[0]?.url ?? "")).bytes();
  expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe("PNG");
});

test("a job whose input is wrong fails when it runs, with the field", async () => {
  const queue = client();
  const { request_id: requestId } = await queue.submit(flux, { input: { prompt: "A boat", num_images: 9 } });
  for (let polls = 0; polls < 3; polls++) await queue.status(flux, { requestId });
  const error = await failureOf(queue.result(flux, { requestId }));
  expect(error).toBeInstanceOf(ValidationError);
  expect(error.body).toEqual({
    detail: [{ loc: ["body", "num_images"], msg: "Input should be from 1 to 4", type: "value_error" }],
  });
});

test("jobs are cancelled, and some only in words", async () => {
  const queue = client();
  const begin = async (prompt: string) => (await queue.submit(flux, { input: { prompt } })).request_id;
  const requestId = await begin("A boat");
  await queue.cancel(flux, { requestId });
  expect(await queue.status(flux, { requestId })).toMatchObject({
    status: "COMPLETED",
    error_type: "request_cancelled",
  });
  expect((await failureOf(queue.result(flux, { requestId }))).status).toBe(499);
  const stubborn = await begin(says({ job: { queued: 0, running: 0, done_after_cancel: true } }));
  await queue.cancel(flux, { requestId: stubborn });
  expect(await queue.status(flux, { requestId: stubborn })).not.toHaveProperty("error");
  expect((await failureOf(queue.cancel(flux, { requestId: stubborn }))).status).toBe(400);
});

test("an answer that is lost, or an error, comes at once", async () => {
  const submit = (script: object) =>
    fetch(`${new URL(sandbox.url).origin}/fal/${flux}`, {
      method: "POST",
      headers: { authorization: "Key key", "content-type": "application/json" },
      body: JSON.stringify({ prompt: says(script) }),
    });
  expect(await submit({ fault: { kind: "close" } }).catch(() => null)).toBeNull();
  expect((await submit({ fault: { kind: "status", status: 429 } })).status).toBe(429);
});

test("keys, unknown apps and unknown jobs are refused in the vendor's form", async () => {
  const input = { prompt: "A boat" };
  expect((await failureOf(client("wrong").submit(flux, { input }))).status).toBe(401);
  expect((await failureOf(client("poor").submit(flux, { input }))).body).toMatchObject({
    detail: expect.stringContaining("Exhausted balance"),
  });
  expect((await failureOf(client().submit("fal-ai/unknown", { input }))).status).toBe(404);
  expect((await failureOf(client().status(flux, { requestId: "none" }))).status).toBe(404);
});
