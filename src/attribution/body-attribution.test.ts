import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { messagesAttribution } from "../dialects/anthropic-messages/attribution.ts";
import { geminiAttribution } from "../dialects/gemini/attribution.ts";
import { openaiAttribution } from "../dialects/openai-chat/attribution.ts";
import { unattributed } from "./attribution.ts";
import { splitUserId, withBody } from "./body-attribution.ts";
import { boundedText } from "./bounded-text.ts";
import { maxTagsText } from "./tag-grammar.ts";

const hash = "a1b2".repeat(16);
const session = "d2e70091-3007-41a3-a916-cb8b0d3098de";
const account = "0b5d9e7e-2a4f-4a55-8f0e-0a7d6c1b2f33";

describe("splitUserId", () => {
  test.each([
    [`user_${hash}_account__session_${session}`, `user_${hash}`],
    [`user_${hash}_account_${account}_session_${session}`, account],
    [JSON.stringify({ device_id: hash, account_uuid: "", session_id: session }), hash],
    [JSON.stringify({ device_id: hash, account_uuid: account, session_id: session }), account],
  ])("splits what Claude Code sends: %s", (text, endUser) => {
    expect(splitUserId(text)).toEqual({ endUser, session });
  });

  test.each([["ada"], ["user_ada"], ["{not json"], ['{"a":1}'], ["user_a_account_b"]])("leaves %p whole", (text) => {
    expect(splitUserId(text)).toEqual({ endUser: text, session: null });
  });

  test.each([[undefined], [null], [5], [{}], [""], ["  "]])("%p says nothing", (value) => {
    expect(splitUserId(value)).toEqual({ endUser: null, session: null });
  });
});

test("a text of a provider's field is bounded, never refused", () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 1 }), fc.string({ unit: "binary", maxLength: 600 }), (value, text) => {
      for (const each of [value, text]) {
        const bounded = boundedText(each);
        if (bounded === null) continue;
        expect(bounded.length).toBeLessThanOrEqual(256);
        expect(bounded.isWellFormed()).toBe(true);
        // eslint-disable-next-line no-control-regex
        expect(bounded).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
  );
  expect(boundedText("ada")).toBe("ada");
});

describe("OpenAI's fields", () => {
  test.each([
    [{ user: "ada", safety_identifier: "s", metadata: { user_id: "m" } }, "ada", null],
    [{ safety_identifier: "s", metadata: { user_id: "m" } }, "s", null],
    [{ metadata: { user_id: "m", session_id: "t", team: "search" }, prompt_cache_key: "k" }, "m", "t"],
    [{ prompt_cache_key: "k" }, null, "k"],
    [{ user: `user_${hash}_account__session_${session}`, prompt_cache_key: "k" }, `user_${hash}`, session],
    [{ user: 5, metadata: "x" }, null, null],
  ])("%j", (body, endUser, found) => {
    expect(openaiAttribution(body)).toEqual({ endUser, session: found, labels: null });
  });

  test("none of them says nothing", () => expect(openaiAttribution({ model: "m" })).toBeNull());
});

test("Anthropic's metadata.user_id", () => {
  expect(messagesAttribution({ metadata: { user_id: "ada" } })).toEqual({
    endUser: "ada",
    session: null,
    labels: null,
  });
  expect(messagesAttribution({})).toBeNull();
  expect(messagesAttribution({ metadata: null })).toBeNull();
});

describe("Gemini's labels", () => {
  const read = (labels: unknown, known = unattributed, fixed = {}) => {
    const said = geminiAttribution({ labels });
    return said === null ? null : withBody(known, said, fixed);
  };

  test("name the end user and the session; the others are tags", () => {
    expect(read({ user: "ada", session: "s", team: "search" })).toEqual({
      endUser: "ada",
      session: "s",
      tags: '{"team":"search"}',
    });
    expect(read({ end_user: "ada", session_id: "s" })).toEqual({ endUser: "ada", session: "s", tags: null });
    expect(geminiAttribution({ generateContentRequest: { labels: { user: "ada" } } })).toMatchObject({
      endUser: "ada",
    });
  });

  test("come after the headers", () => {
    const known = { tags: '{"team":"ads"}', endUser: "eve", session: null };
    expect(read({ user: "ada", session: "s", team: "search", env: "prod" }, known)).toEqual({
      endUser: "eve",
      session: "s",
      tags: '{"env":"prod","team":"ads"}',
    });
  });

  test("that are no tags, or do not fit, are left out", () => {
    expect(read({ "Große-Abteilung": "x", team: "", n: 5, ok: "y" })?.tags).toBe('{"ok":"y"}');
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, "v".repeat(200)]));
    const { tags } = read(many) ?? unattributed;
    expect(tags?.length).toBeLessThanOrEqual(maxTagsText);
    expect(tags?.length).toBeGreaterThan(1_800);
  });

  test("cannot change a fixed tag", () => {
    expect(() => read({ team: "ads" }, unattributed, { team: "search" })).toThrow(
      "Invalid value for 'labels.team': the tag 'team' of this API key is fixed: it is 'search'.",
    );
  });
});
