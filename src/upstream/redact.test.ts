import { describe, expect, test } from "bun:test";
import { redact } from "./redact.ts";

const apiKey = "example-provider-secret-0123456789";
/** With characters that mean something in a pattern and in an address. */
const odd = "Secret+key/(1)|$^[x]";
const provider = {
  apiKeys: [apiKey, odd],
  baseUrl: "https://llm.internal.example:8443/v1",
  headers: { "x-tenant": "tenant-secret-value", "x-beta": "on" },
};

describe("redact", () => {
  test.each([
    [`Incorrect API key provided: ${apiKey}.`, "Incorrect API key provided: [redacted]."],
    ["No route to llm.internal.example:8443", "No route to [redacted]"],
    ["Unknown tenant 'tenant-secret-value'", "Unknown tenant '[redacted]'"],
    ["see https://llm.internal.example/errors?id=7 or 10.0.0.7:80", "see [redacted] or [redacted]"],
    ["Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"],
    ["turn it on", "turn it on"],
    [`Bad key ${apiKey.toUpperCase()}`, "Bad key [redacted]"],
    ["No route to LLM.Internal.Example:8443", "No route to [redacted]"],
    [`key=${encodeURIComponent(odd)}&x=1`, "key=[redacted]&x=1"],
    [`key ${Buffer.from(odd).toString("base64")}`, "key [redacted]="],
    [`key ${odd.toLowerCase()}.`, "key [redacted]."],
  ])("%s", (text, clean) => {
    expect(redact(text, provider)).toBe(clean);
  });

  test("no part of a key that the cut would split is left", () => {
    for (let before = 1_990 - apiKey.length; before <= 2_005; before++) {
      expect(redact("x ".repeat(1_100).slice(0, before) + apiKey, provider)).not.toContain(apiKey.slice(0, 4));
    }
  });

  test("no part of a key is left at the end of a text that is too long to be read whole", () => {
    // Long addresses shrink, so that the end of what is read comes within what is kept.
    const addresses = `https://long.example/${"p".repeat(1_000)} `.repeat(70);
    for (let before = 65_500; before <= 65_536; before++) {
      const text = `${addresses.slice(0, before - 1)} ${apiKey}`;
      expect(redact(text, provider)).not.toContain(apiKey.slice(0, 4));
    }
  });

  test("the result is bounded", () => {
    expect(redact("word ".repeat(1_000_000), provider)).toHaveLength(2_000);
    expect(redact("word ".repeat(1_000_000), provider, 300)).toHaveLength(300);
  });
});
