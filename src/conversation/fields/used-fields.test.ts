import { expect, test } from "bun:test";
import { fieldSamples, plainRequest } from "./field-samples.testkit.ts";
import { requestFields, type FieldName } from "./fields.ts";
import { callerPath, visitFields } from "./used-fields.ts";

function usedFields(request: typeof plainRequest): Set<FieldName> {
  const used = new Set<FieldName>();
  visitFields(request, (field) => used.add(field));
  return used;
}

for (const field of Object.keys(requestFields) as FieldName[]) {
  test(`${field} is found if it is used`, () => {
    expect(usedFields({ ...plainRequest, ...fieldSamples[field] })).toContain(field);
  });
}

test("a setting with its default value does not count as used", () => {
  const request = {
    ...plainRequest,
    candidateCount: 1,
    logprobs: false,
    topLogprobs: 0,
    stop: [],
    modalities: ["text"],
  };
  expect(usedFields(request)).toEqual(usedFields(plainRequest));
});

test("a path is the caller's own", () => {
  const request = { ...plainRequest, spelling: { maxOutputTokens: "max_tokens", "tool.strict": ".function.strict" } };
  expect(callerPath(request, "maxOutputTokens")).toBe("max_tokens");
  expect(callerPath(request, "tool.strict", { path: "tools[0]" })).toBe("tools[0].function.strict");
  expect(callerPath(request, "seed")).toBe("seed");
});
