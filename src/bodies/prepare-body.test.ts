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

test("JSON within a text, as in the arguments of a tool, is searched as JSON, whatever its escapes", () => {
  const rules = { ...allPatterns, fields: ["password"] };
  const call = (text: string) => json(rules, { function: { name: "f", arguments: text } });
  const kept = (text: string) => ({ function: { name: "f", arguments: text } });
  expect(call('{"user": {"PASSWORD": "hunter2"}, "n": 1}')).toEqual(kept('{"user":{"PASSWORD":"[redacted]"},"n":1}'));
  expect(call(String.raw`{"to":"a\u0040example.com"}`)).toEqual(kept('{"to":"[redacted email]"}'));
  expect(call(JSON.stringify([JSON.stringify({ password: "p" })]))).toEqual(
    kept(JSON.stringify([JSON.stringify({ password: "[redacted]" })])),
  );
  // Nothing is to be taken out: the text stays as it was written.
  expect(call('{ "a": 1.50 }')).toEqual(kept('{ "a": 1.50 }'));
  // It was cut off.
  expect(call('{"a": "b", "passWord" : "hunt')).toEqual(kept('{"a": "b", [redacted]'));
});

test("a number of a payment card is taken out as a number, and beside other digits", () => {
  expect(json(allPatterns, { card: 4_111_111_111_111_111, id: 4_111_111_111_111_112 })).toEqual({
    card: "[redacted card]",
    id: 4_111_111_111_111_112,
  });
  expect(prepare(allPatterns, "application/json", '{"card":6304000000000000000}').text).toBe(
    '{"card":"[redacted card]"}',
  );
  expect(plain("4111 1111 1111 1111 12/27")).toBe("[redacted card] 12/27");
  expect(plain("on 12 4111111111111111 123 and 1234567 5500-0000-0000-0004")).toBe(
    "on 12 [redacted card] 123 and 1234567 [redacted card]",
  );
});

test("a text of a stream is one text, though its first and last events say more than the others", () => {
  const start = {
    id: "c1",
    choices: [{ index: 0, delta: { role: "assistant", content: "alice@" }, finish_reason: null }],
  };
  const end = { id: "c1", choices: [{ index: 0, delta: { content: "ple.com" }, finish_reason: "stop" }] };
  const { text } = stream(allPatterns, [start, chunk("exam"), end, "[DONE]"]);
  expect(text).toContain('"content":"[redacted email]"');
  expect(text).not.toContain("ple.com");
  expect(text).toContain('"finish_reason":"stop"');
});

test("the probabilities of tokens, which repeat a text token by token, are left out", () => {
  const logprobs = { content: ["alice", "@", "example.com"].map((token) => ({ token, logprob: -1, bytes: [1] })) };
  const kept = json(noRules, { logprobs: true, choices: [{ logprobs }] });
  expect(kept).toEqual({ logprobs: true, choices: [{ logprobs: "[probabilities of tokens]" }] });
  const events = ["alice@", "example.com"].map((content) => ({
    choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content, logprob: -1 }] } }],
  }));
  expect(stream(allPatterns, events).text).not.toMatch(/alice|example/);
});

test("events that are lists, and those that are broken, are searched for fields too", () => {
  const rules = { ...noRules, fields: ["password"] };
  const { text } = stream(rules, ['[{"password":"hunter2"}]', '{"password":"hunter2","a":']);
  expect(text).not.toContain("hunter2");
});

test("searching a text takes a time in proportion to its length", () => {
  const texts = ["-eyJ", "sk-", "data:a/b;", "1 ", "a@b.", "-----BEGIN PRIVATE KEY-----", "eyJ.eyJ"];
  for (const text of texts) {
    const startedAt = performance.now();
    plain(text.repeat((2 << 20) / text.length));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});
