import { afterAll, beforeAll, expect, test } from "bun:test";
import Replicate from "replicate";
import { startSandbox, type Sandbox } from "../server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({});
});
afterAll(() => sandbox.stop());

const client = (auth = "key") =>
  new Replicate({ auth, baseUrl: `${new URL(sandbox.url).origin}/replicate/v1`, useFileOutput: false });
const flux = "black-forest-labs/flux-schnell";
const says = (script: object) => `A boat [[sandbox: ${JSON.stringify(script)}]]`;

test("the vendor's client runs a model", async () => {
  const output = await client().run(flux, { input: { prompt: "A boat", num_outputs: 2 }, wait: { mode: "block" } });
  if (!Array.isArray(output)) throw new Error("No list.");
  expect(output).toHaveLength(2);
  const bytes = await (await fetch(String(output[0]))).bytes();
  expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe("PNG");
});

test("a prediction is asked for until it has ended, and listed", async () => {
  const { predictions } = client();
  const { id, status, urls } = await predictions.create({ model: flux, input: { prompt: "A boat" } });
  expect(status).toBe("starting");
  expect(urls.get).toEndWith(`/replicate/v1/predictions/${id}`);
  const seen: string[] = [];
  for (let polls = 0; polls < 3; polls++) seen.push((await predictions.get(id)).status);
  expect(seen).toEqual(["starting", "processing", "succeeded"]);
  expect((await predictions.list()).results[0]?.id).toBe(id);
});

test("a prediction fails in the end, is cancelled, or never ends, as its script says", async () => {
  const { predictions } = client();
  const create = async (prompt: string) => (await predictions.create({ model: flux, input: { prompt } })).id;
  const failing = await create(says({ job: { queued: 0, running: 0, fails: "NSFW content detected" } }));
  expect(await predictions.get(failing)).toMatchObject({ status: "failed", error: "NSFW content detected" });
  const cancelled = await create("A boat");
  expect((await predictions.cancel(cancelled)).status).toBe("canceled");
  const endless = await create(says({ job: { never_done: true } }));
  for (let polls = 0; polls < 5; polls++) expect((await predictions.get(endless)).status).not.toBe("succeeded");
});

test("wrong inputs, keys and models are refused in the vendor's form", async () => {
  const refused = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof Error ? error.message : "";
  };
  const input = { prompt: "A boat" };
  const { predictions } = client();
  expect(await refused(predictions.create({ model: flux, input: { ...input, width: 5 } }))).toContain("- input.width");
  expect(await refused(predictions.create({ model: flux, input: {} }))).toContain("422");
  expect(await refused(client("wrong").predictions.create({ model: flux, input }))).toContain("401");
  expect(await refused(client("poor").predictions.create({ model: flux, input }))).toContain("402");
  expect(await refused(predictions.create({ model: "a/unknown", input }))).toContain("404");
  expect(await refused(predictions.get("none"))).toContain("404");
});
