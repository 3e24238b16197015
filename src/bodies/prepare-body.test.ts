import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RedactionRules } from "./body-log-policy.ts";
import { prepareBody } from "./prepare-body.ts";
import { compileRedaction } from "./redact-value.ts";
import { pathProblem } from "./redaction-path.ts";

const noRules: RedactionRules = { fields: [], paths: [], patterns: [] };
const allPatterns: RedactionRules = { ...noRules, patterns: ["keys", "emails", "cards"] };

const prepare = (
  rules: RedactionRules,
  contentType: string,
  text: string,
  { maxBytes = 1 << 20, secrets = [""] } = {},
) => prepareBody({ kind: "text", contentType, text }, compileRedaction(rules, secrets), maxBytes);
const json = (rules: RedactionRules, value: unknown) =>
  JSON.parse(prepare(rules, "application/json", JSON.stringify(value)).text ?? "null") as unknown;
const plain = (text: string, secrets: readonly string[] = []) =>
  prepareBody({ kind: "text", contentType: "text/plain", text }, compileRedaction(allPatterns, secrets), 1 << 20).text;

/** The events of a stream, in pieces of these sizes. */
const stream = (rules: RedactionRules, events: readonly (object | string)[], pieceSize = 7) => {
  const text = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceSize) pieces.push(bytes.subarray(at, at + pieceSize));
  const body = { kind: "bytes", contentType: "text/event-stream; charset=utf-8", pieces, bytes: bytes.length } as const;
  return prepareBody(body, compileRedaction(rules, []), 1 << 20);
};

const chunk = (content: string, index = 0) => ({
  id: "c1",
  choices: [{ index, delta: { content }, finish_reason: null }],
});

test("fields are taken out at any depth and in any case, paths where they lead", () => {
  const value = { Secret: 1, a: [{ secret: { b: 2 } }, { b: [1, { c: 3 }] }], m: { x: { k: 1 }, y: { k: 2, l: 3 } } };
  expect(json({ ...noRules, fields: ["SECRET"] }, value)).toMatchObject({
    Secret: "[redacted]",
    a: [{ secret: "[redacted]" }, {}],
  });
  const paths = ["$.a[1].b[*].c", "m.*.k", "a[0]", "none.at.all"];
  expect(json({ ...noRules, paths }, value)).toEqual({
    Secret: 1,
    a: ["[redacted]", { b: [1, { c: "[redacted]" }] }],
    m: { x: { k: "[redacted]" }, y: { k: "[redacted]", l: 3 } },
  });
});

test("a path has names, places and stars", () => {
  for (const path of ["a", "$.a.b", "a[0].b[*]", "*.b", "[*].a", "a-b.c_d"])
    expect([path, pathProblem(path)]).toEqual([path, null]);
  for (const path of ["", "$", "a..b", "a[", "a[x]", ".a", "a b", "a['b']"]) expect(pathProblem(path)).not.toBeNull();
});

test("keys, email addresses and card numbers are taken out of any text, and nothing else", () => {
  const secrets = [
    "sk-ant-api03-abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----",
  ];
  for (const secret of secrets) expect(plain(`before ${secret} after`)).toBe("before [redacted key] after");
  expect(plain("Authorization: Bearer abcdefgh.ijklmnop-12")).toBe("Authorization: Bearer [redacted key]");
  expect(plain("<bob.b+c@mail.example.co.uk>, 5500-0000-0000-0004.")).toBe("<[redacted email]>, [redacted card].");
  const harmless = "Order 1234567890123456 of sk-8, a@b, task-force-of-seventeen-people at 10:00";
  expect(plain(harmless)).toBe(harmless);
  expect(plain("a credential: provider-secret!", ["provider-secret!"])).toBe("a credential: [redacted key]");
});

test("a key of the gateway is taken out without any rule", () => {
  const key = "sk-tg-DJudr32sb3-PbQr3JzW8acokz2DTvvC6KyJkpI9Ox73OtkOjEJqlqJ4Wi";
  expect(prepare(noRules, "text/plain", `It is ${key}.`).text).toBe("It is [redacted key].");
});

test("the pieces of a text in a stream are joined, so that what is spread over them is taken out", () => {
  const events = ["alice@exa", "mple", ".com ", "ha", "ha", "ha"].map((content) => chunk(content));
  const done = { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const kept = stream(allPatterns, [...events, done, "[DONE]"]);
  expect(kept.text).toBe(
    `data: ${JSON.stringify(chunk("[redacted email] hahaha"))}\n\ndata: ${JSON.stringify(done)}\n\ndata: [DONE]\n\n`,
  );
  expect(kept).toMatchObject({ redactions: 1, isTruncated: false });
});

test("texts of several answers in one stream are kept apart", () => {
  const kept = stream(noRules, [chunk("a", 0), chunk("x", 1), chunk("b", 0), chunk("y", 1)]);
  expect(kept.text).toBe(`data: ${JSON.stringify(chunk("ab", 0))}\n\ndata: ${JSON.stringify(chunk("xy", 1))}\n\n`);
});

test("no text of a stream is lost, however it is cut into events and pieces", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 40 }),
      (texts, size) => {
        const { text } = stream(
          noRules,
          texts.map((content) => chunk(content)),
          size,
        );
        const kept = (text ?? "")
          .split("\n\n")
          .filter(Boolean)
          .map((event) => JSON.parse(event.slice(6)) as ReturnType<typeof chunk>);
        const joined = kept.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
        expect(joined).toBe(texts.join("").replaceAll("\0", "\ufffd"));
        expect(kept.length).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test("long whole numbers keep their digits, and media become a few words", () => {
  const { text } = prepare(noRules, "application/json", '{"id": 12345678901234567890123}');
  expect(text).toBe('{"id":12345678901234567890123}');
  const url = `data:image/png;base64,${"A".repeat(400)}`;
  expect(json(noRules, { url, inline: `see ![](${url})`, bytes: "QUJD".repeat(200) })).toEqual({
    url: "[image/png, 422 characters]",
    inline: "see ![]([image/png, 422 characters])",
    bytes: "[base64, 800 characters]",
  });
});

test("a body is cut at a character, and one that cannot be read is not kept", () => {
  const kept = prepare(noRules, "text/plain", "äöü".repeat(10), { maxBytes: 5 });
  expect(kept).toMatchObject({ text: "äö", isTruncated: true, bytes: 60 });
  expect(prepare(noRules, "application/json", "{broken")).toMatchObject({
    text: null,
    omitted: "unreadable",
    bytes: 7,
  });
});
