import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { GatewayError } from "../errors.ts";
import type { HeaderNames, SearchableHeaders } from "../http/headers.ts";
import { arbitraryTags } from "./attribution.testkit.ts";
import { type Tags, tagsToText, textToTags, unattributed } from "./attribution.ts";
import { withHeaders } from "./header-attribution.ts";
import { maxTagsText } from "./tag-grammar.ts";

/** Headers as a server has them: each character stands for a byte. */
function headersOf(fields: Readonly<Record<string, string>>): SearchableHeaders {
  const lower = new Map(
    Object.entries(fields).map(([name, value]) => [name.toLowerCase(), Buffer.from(value).toString("latin1")]),
  );
  return {
    get: (name) => lower.get(name.toLowerCase()) ?? null,
    has: (name) => lower.has(name.toLowerCase()),
    hasAny: (names: HeaderNames) => lower.keys().some((name) => names.has(name)),
  };
}

function read(fields: Readonly<Record<string, string>>, fixed: Tags = {}) {
  return withHeaders({ ...unattributed, tags: tagsToText(fixed) }, fixed, headersOf(fields));
}

function refusal(fields: Readonly<Record<string, string>>, fixed: Tags = {}) {
  try {
    return { read: read(fields, fixed) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { status: error.status, code: error.code, param: error.param, message: error.message };
  }
}

const join = (tags: Tags) =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

describe("X-Service-Tags", () => {
  test("whatever tags are written are read", () => {
    fc.assert(
      fc.property(arbitraryTags, (tags) => {
        fc.pre((tagsToText(tags)?.length ?? 0) <= maxTagsText);
        expect(textToTags(read({ "X-Service-Tags": join(tags) }).tags)).toEqual(tags);
      }),
    );
  });

  test("any text is read within the bounds, or refused by name", () => {
    const anyText = fc.string({
      unit: fc.constantFrom("a", "b", "=", ",", " ", "é", '"', "A", "\u0080"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(anyText, (text) => {
        const found = refusal({ "X-Service-Tags": text });
        if ("read" in found) expect((found.read?.tags ?? "").length).toBeLessThanOrEqual(maxTagsText);
        else expect(found).toMatchObject({ status: 400, code: "invalid_parameter", param: "X-Service-Tags" });
      }),
    );
  });

  test("empty members of the list are left out", () => {
    expect(read({ "X-Service-Tags": ", team=search,, env=prod ," }).tags).toBe('{"env":"prod","team":"search"}');
    expect(read({ "X-Service-Tags": " , " }).tags).toBeNull();
    expect(read({ "X-Service-Tags": "" }).tags).toBeNull();
  });

  test.each([
    ["a name with capitals", "Team=search", "'Team=search' is not name=value"],
    ["no value", "team", "'team' is not name=value"],
    ["a name twice", "team=a, team=a", "the tag 'team' is given twice"],
    ["17 tags", Array.from({ length: 17 }, (_, at) => `n${at}=v`).join(","), "'n16' there are more than 16 tags"],
    [
      "long tags",
      Array.from({ length: 9 }, (_, at) => `n${at}=${"v".repeat(256)}`).join(","),
      "longer than 2048 characters",
    ],
    ["a long value", `team=${"v".repeat(257)}`, "is not name=value"],
  ])("refuses %s and names it", (_case, value, problem) => {
    const found = refusal({ "X-Service-Tags": value });
    expect(found).toMatchObject({ status: 400, code: "invalid_parameter", param: "X-Service-Tags" });
    expect(found).toMatchObject({ message: expect.stringContaining(problem) });
  });

  test("fixed tags stay, and may be repeated but not changed", () => {
    const fixed = { team: "search" };
    expect(read({}, fixed).tags).toBe('{"team":"search"}');
    expect(read({ "X-Service-Tags": "env=prod, team=search" }, fixed).tags).toBe('{"env":"prod","team":"search"}');
    expect(refusal({ "X-Service-Tags": "team=ads" }, fixed)).toMatchObject({
      param: "X-Service-Tags",
      message: "Invalid value for 'X-Service-Tags': the tag 'team' of this API key is fixed: it is 'search'.",
    });
    expect(read({ "X-Service-Tags": "constructor=a" }, fixed).tags).toBe('{"constructor":"a","team":"search"}');
  });
});

describe("end user and session", () => {
  test("are read as they are, of up to 256 characters of any language", () => {
    const name = "Zoë 日本".repeat(42);
    expect(read({ "x-service-end-user": name, "x-service-session": "s-1" })).toMatchObject({
      endUser: name,
      session: "s-1",
    });
    const tooLong = "u".repeat(257);
    expect(refusal({ "X-Service-End-User": tooLong })).toMatchObject({ status: 400, param: "X-Service-End-User" });
    expect(refusal({ "X-Service-Session": tooLong })).toMatchObject({ status: 400, param: "X-Service-Session" });
    expect(refusal({ "X-Service-Session": "a\u0085b" })).toMatchObject({ status: 400, param: "X-Service-Session" });
  });

  test.each([
    ["session-id"],
    ["session_id"],
    ["conversation_id"],
    ["X-Claude-Code-Session-Id"],
    ["x-opencode-session"],
    ["X-Session-Affinity"],
    ["X-Session-Id"],
  ])("a client's %s is a session, unless the gateway's own header names one", (name) => {
    expect(read({ [name]: "abc" }).session).toBe("abc");
    expect(read({ [name]: "abc", "X-Service-Session": "own" }).session).toBe("own");
    expect(read({ [name]: "s".repeat(300) }).session).toBe("s".repeat(256));
  });
});

test("a request with none of these headers has its key's attribution, as it is", () => {
  const own = { ...unattributed, tags: '{"a":"b"}' };
  expect(withHeaders(own, { a: "b" }, headersOf({ "content-type": "application/json" }))).toBe(own);
});
