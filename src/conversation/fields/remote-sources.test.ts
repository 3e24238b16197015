import { expect, test } from "bun:test";
import { fieldSamples, plainRequest } from "./field-samples.testkit.ts";
import type { FieldName } from "./fields.ts";
import { requestFields } from "./fields.ts";
import type { ImagePart } from "../parts.ts";
import { sourcesToFetch, withFetched } from "./remote-sources.ts";
import { carried, fetched, type SupportColumn } from "./support.ts";

const all = Object.fromEntries(Object.keys(requestFields).map((field) => [field, carried])) as Record<
  FieldName,
  typeof carried
>;
const column: SupportColumn = { ...all, "image.url": fetched };
const image: ImagePart = { type: "image", source: { type: "url", url: "https://a.b/c.png" }, path: "here" };

test("each address is fetched once, also within tool results, and only if the provider cannot", () => {
  const request = {
    ...plainRequest,
    messages: [
      { role: "user", parts: [image, image, { type: "document", source: { type: "url", url: "https://a.b/d" } }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "a", parts: [image] }] },
    ],
  } as const;
  expect(sourcesToFetch(request, column)).toEqual([{ url: "https://a.b/c.png", kind: "image", path: "here" }]);
  expect(sourcesToFetch(request, all)).toEqual([]);

  const bytes = { mediaType: "image/png", base64: "AAAA" };
  const { messages } = withFetched(request, new Map([["https://a.b/c.png", bytes]]));
  const inline = { type: "image", source: { type: "data", ...bytes }, path: "here" };
  expect(messages).toMatchObject([
    { parts: [inline, inline, { source: { type: "url" } }] },
    { parts: [{ parts: [inline] }] },
  ]);
});

test("a request without addresses is unchanged", () => {
  const request = { ...plainRequest, ...fieldSamples["image.data"] };
  expect(withFetched(request, new Map())).toBe(request);
});
