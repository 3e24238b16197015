import { describe, expect, test } from "bun:test";
import { replicate } from "./dialect.ts";
import { faultOfPrediction, readReplicateError } from "./errors.ts";
import { createPath } from "./predictions.ts";

test.each<[unknown, object | null]>([
  [
    { detail: "Request was throttled.", status: 429 },
    { message: "Request was throttled.", code: null },
  ],
  [
    { title: "Insufficient credit", detail: "None left.", status: 402 },
    { isOutOfCredit: true, code: "Insufficient credit" },
  ],
  [{ title: "T", detail: "D", status: 422, invalid_fields: [{ field: "input.aspect_ratio" }] }, { param: "size" }],
  [{ detail: "D", invalid_fields: ["x"] }, { param: null }],
  [{ detail: 5 }, null],
  [null, null],
])("the error %j is read", (body, expected) => {
  const read = readReplicateError(body);
  if (expected === null) expect(read).toBeNull();
  else expect(read).toMatchObject(expected);
});

test.each([
  ["The input or output was flagged as sensitive. (E005)", "invalid_prompt"],
  ["CUDA out of memory", null],
])("a prediction that failed with %p has the code %p", (error, code) => {
  expect(faultOfPrediction({ status: "failed", error }).providerError).toMatchObject({ message: error, code });
  expect(faultOfPrediction({ status: "canceled", error: null }).providerError?.message).toBe(
    "The prediction is canceled.",
  );
});

describe("predictions of", () => {
  const version = "39ed52f2a78e934b3ba6e2a89f5b1c712de7dfea535525255b1aa35c5565e08b";
  test.each([
    ["black-forest-labs/flux-dev", "/models/black-forest-labs/flux-dev/predictions", null],
    [`stability-ai/sdxl:${version}`, "/predictions", version],
    [version, "/predictions", version],
    ["deployments/acme/boats", "/deployments/acme/boats/predictions", null],
  ])("%s are made at %s", (model, path, expected) => {
    expect(createPath(model)).toEqual({ path, version: expected });
  });
});

test("its list of models is read", () => {
  const read = replicate.modelList?.read;
  expect(read?.({ results: [{ owner: "a", name: "b" }, { name: "c" }] })).toEqual({ names: ["a/b"], isPartial: true });
  expect(read?.({ data: [] })).toBeNull();
});
