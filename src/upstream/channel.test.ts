import { describe, expect, test } from "bun:test";
import type { Signing, UnsignedRequest } from "../dialects/dialect.ts";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import { exampleProvider } from "../routing/choice/candidate.testkit.ts";
import { openChannel, openChannels } from "./channel.ts";
import { FakeClient } from "./http/fake-client.testkit.ts";
import type { Provider } from "./provider.ts";

const bearer: Signing = { in: "header", header: (key) => ["authorization", `Bearer ${key}`] };
const request: UpstreamRequest = {
  dialect: "openai-chat",
  method: "POST",
  path: "/chat/completions",
  headers: { "content-type": "application/json" },
  body: "{}",
};

const open = (fields: Partial<Provider> = {}) => openChannel(new FakeClient(), exampleProvider(fields));

/** The lines of a head, which each end by CRLF. */
function linesOf(head: string): string[] {
  expect(head).toEndWith("\r\n");
  const lines = head.slice(0, -2).split("\r\n");
  for (const line of lines) expect(line).toMatch(/^[^\r\n]+$/);
  return lines;
}

describe("the lines of a head", () => {
  test("are the request line, the headers of all calls, and the request's own headers", () => {
    const channel = open({ baseUrl: "http://vendor.invalid:8080/v1", headers: { "x-team": "blue" } });
    expect(linesOf(channel.head(request, bearer, "sk-1"))).toEqual([
      "POST /v1/chat/completions HTTP/1.1",
      "host: vendor.invalid:8080",
      "accept-encoding: identity",
      "x-team: blue",
      "authorization: Bearer sk-1",
      "content-type: application/json",
    ]);
  });

  test("are the same each time, whichever credential or dialect was asked for before", () => {
    const channel = open({ apiKeys: ["sk-1", "sk-2"] });
    const other: Signing = { in: "header", header: (key) => ["x-api-key", key] };
    const heads = () => [
      channel.head(request, bearer, "sk-1"),
      channel.head(request, bearer, "sk-2"),
      channel.head(request, other, "sk-1"),
      channel.head(request, bearer, null),
    ];
    const first = heads();
    expect(heads()).toEqual(first);
    expect(new Set(first).size).toBe(4);
    expect(first[1]).toContain("\r\nauthorization: Bearer sk-2\r\n");
    expect(first[2]).toContain("\r\nx-api-key: sk-1\r\n");
    expect(first[3]).not.toContain("authorization");
  });

  test.each([
    ["http://vendor.invalid", "POST /chat/completions HTTP/1.1"],
    ["http://vendor.invalid/", "POST /chat/completions HTTP/1.1"],
    ["http://vendor.invalid/deep/v1", "POST /deep/v1/chat/completions HTTP/1.1"],
    ["http://vendor.invalid/deep/v1/", "POST /deep/v1/chat/completions HTTP/1.1"],
  ])("begin with the path below %s", (baseUrl, line) => {
    expect(linesOf(open({ baseUrl }).head(request, bearer, null))[0]).toBe(line);
  });
});

describe("one of two headers of the same name is sent", () => {
  test("the request's own rather than the provider's or the gateway's", () => {
    const channel = open({ headers: { "anthropic-version": "1" } });
    const headers = { "anthropic-version": "2", "accept-encoding": "gzip", "x-own": "3" };
    const lines = linesOf(channel.head({ ...request, headers }, bearer, "sk-1"));
    expect(lines.filter((line) => line.startsWith("anthropic-version"))).toEqual(["anthropic-version: 2"]);
    expect(lines.filter((line) => line.startsWith("accept-encoding"))).toEqual(["accept-encoding: gzip"]);
    expect(lines).toContain("x-own: 3");
    expect(lines).toContain("authorization: Bearer sk-1");
    // The next request is not changed by it.
    expect(linesOf(channel.head(request, bearer, "sk-1"))).toContain("anthropic-version: 1");
  });

  test("the provider's rather than the gateway's", () => {
    const channel = open({ headers: { host: "other.invalid", "accept-encoding": "br" } });
    const lines = linesOf(channel.head(request, bearer, null));
    expect(lines.filter((line) => line.startsWith("host"))).toEqual(["host: other.invalid"]);
    expect(lines.filter((line) => line.startsWith("accept-encoding"))).toEqual(["accept-encoding: br"]);
  });

  test("the credential rather than what is configured in its place", () => {
    const channel = open({ headers: { authorization: "Basic configured" } });
    expect(linesOf(channel.head(request, bearer, "sk-1"))).toContain("authorization: Bearer sk-1");
    expect(linesOf(channel.head(request, bearer, null))).toContain("authorization: Basic configured");
  });
});

describe("a credential in the query", () => {
  const signing: Signing = { in: "query", parameter: "key" };

  test.each([
    ["/models", "POST /v1/models?key=a%26b%20c HTTP/1.1"],
    ["/models?alt=sse", "POST /v1/models?alt=sse&key=a%26b%20c HTTP/1.1"],
  ])("is added to %s, escaped", (path, line) => {
    const lines = linesOf(open().head({ ...request, path }, signing, "a&b c"));
    expect(lines[0]).toBe(line);
    expect(lines.slice(1).join("\n")).not.toContain("a&b");
  });

  test("is left out if there is none", () => {
    expect(linesOf(open().head(request, signing, null))[0]).toBe("POST /v1/chat/completions HTTP/1.1");
  });
});

describe("a credential for the whole request", () => {
  const asked: (readonly [UnsignedRequest, string])[] = [];
  const signing: Signing = {
    in: "request",
    sign(unsigned, credential) {
      asked.push([unsigned, credential]);
      return { authorization: `Signed ${credential} ${unsigned.url}`, "x-team": "signed" };
    },
  };

  test("is worked into its headers, from all that is sent", () => {
    const channel = open({ headers: { "x-team": "blue" } });
    const lines = linesOf(channel.head(request, signing, "secret"));
    expect(asked).toEqual([[{ ...request, url: "http://vendor.invalid/v1/chat/completions" }, "secret"]]);
    expect(lines).toContain("authorization: Signed secret http://vendor.invalid/v1/chat/completions");
    expect(lines).toContain("content-type: application/json");
    expect(lines.filter((line) => line.startsWith("x-team"))).toEqual(["x-team: signed"]);
  });

  test("is not asked for if there is none", () => {
    asked.length = 0;
    open().head(request, signing, null);
    expect(asked).toEqual([]);
  });
});

describe("characters that HTTP does not allow in a header are refused at start, and not shown", () => {
  const bad = ["secret\r\nx-injected: 1", "secret\nx", "secret\rx", "secret\0", "secret\u007f", "sécret🙂"];
  const refusalOf = (fields: Partial<Provider>) => {
    try {
      openChannels(new FakeClient(), [exampleProvider({ id: "acme", ...fields })]);
    } catch (error) {
      return String(error);
    }
    return null;
  };

  test.each(bad)("in a configured value: %j", (value) => {
    const refusal = refusalOf({ headers: { "x-team": value } });
    expect(refusal).toContain("The provider 'acme' cannot be called: The header 'x-team'");
    expect(refusal).not.toContain("secret");
  });

  test.each(bad)("in a credential: %j", (apiKey) => {
    const refusal = refusalOf({ apiKeys: ["good", apiKey] });
    expect(refusal).toContain("The provider 'acme'");
    expect(refusal).not.toContain("secret");
  });

  test.each(["x team", "x:team", "x\r\nteam", "", "ä"])("in a configured name: %j", (name) => {
    expect(refusalOf({ headers: { [name]: "blue" } })).toContain("HTTP does not allow");
  });

  test("allowed characters are sent", () => {
    expect(refusalOf({ headers: { "x-!#$%&'*+.^_`|~9": "tab\tand é" }, apiKeys: ["sk-1"] })).toBeNull();
  });
});

test("each provider has its channel, and no other has one", () => {
  const [one, two] = [exampleProvider({ id: "one" }), exampleProvider({ id: "two", baseUrl: "http://two.invalid" })];
  const channels = openChannels(new FakeClient(), [one, two]);
  expect(channels.of(one).provider).toBe(one);
  expect(channels.of(two).origin.host).toBe("two.invalid");
  expect(() => channels.of(exampleProvider({ id: "three" }))).toThrow("'three'");
  const bad = exampleProvider({ id: "bad", baseUrl: "no address" });
  expect(() => openChannels(new FakeClient(), [one, bad])).toThrow("The provider 'bad' cannot be called");
});
