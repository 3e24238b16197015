import { expect, test } from "bun:test";
import { otherBaseUrls } from "./check-provider.ts";

test.each([
  ["http://127.0.0.1:11434", "/models", "http://127.0.0.1:11434/v1"],
  ["https://api.openai.com/v1/chat/completions", "/models", "https://api.openai.com/v1"],
  ["https://api.openai.com/v1/v1", "/models", "https://api.openai.com/v1"],
  ["https://api.example/api/v3", "/models", "https://api.example/api/v3/v1"],
  ["https://api.anthropic.com/v1", "/v1/models?limit=1000", "https://api.anthropic.com"],
  ["https://api.anthropic.com/v1/messages", "/v1/models?limit=1000", "https://api.anthropic.com"],
  ["https://generativelanguage.googleapis.com/v1beta", "/v1beta/models", "https://generativelanguage.googleapis.com"],
])("%s with %s was perhaps %s", (baseUrl, path, meant) => {
  const [first] = otherBaseUrls(baseUrl, path);
  expect(first).toBe(meant);
});

test("never suggests what was tried", () => {
  for (const url of ["https://api.openai.com/v1", "https://api.openai.com", "http://h:1/v1/models"]) {
    for (const path of ["/models", "/v1/models"]) expect(otherBaseUrls(url, path)).not.toContain(url);
  }
});
