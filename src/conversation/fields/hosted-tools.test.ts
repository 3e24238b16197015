import { describe, expect, test } from "bun:test";
import { codecs } from "../../dialects/codecs.testkit.ts";
import { requestOf } from "../arbitraries.testkit.ts";
import { omitHostedTools } from "./hosted-tools.ts";
import type { JsonObject, Vendor } from "../parts.ts";
import type { Tool, ToolChoice } from "../request.ts";

const own: Tool = { type: "function", name: "find", path: "tools[0]" };
const native = (vendor: Vendor, value: JsonObject): Tool => ({ type: "native", vendor, value, path: "tools[1]" });
const search = native("openai", { type: "web_search" });
const chat = codecs["openai-chat"].provider.support("gpt-4.1");
const review = (tools: readonly Tool[], toolChoice?: ToolChoice, policy: "omit" | "refuse" = "omit") =>
  omitHostedTools(requestOf([], { tools, toolChoice }), chat, policy);

describe("a tool that the vendor runs", () => {
  test.each([
    search,
    native("openai", { type: "web_search_preview_2025_03_11" }),
    native("anthropic", { type: "web_search_20260209", name: "web_search" }),
    native("google", { googleSearch: {} }),
    native("google", { url_context: {}, code_execution: {} }),
  ])("is left out beside the caller's own: %j", (tool) => {
    expect(review([own, tool])).toMatchObject({ request: { tools: [own] }, omitted: ["tools[1]"], refusal: null });
  });

  test("is refused if no other tool is left, or if the tool choice requires it", () => {
    const refused = { refusal: { path: "tools[1]", why: expect.stringContaining("'web_search'") } };
    expect(review([search])).toMatchObject(refused);
    expect(review([own, search], undefined, "refuse")).toMatchObject(refused);
    for (const value of [
      { type: "web_search" },
      { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "find" }, { type: "web_search" }] },
    ]) {
      expect(review([own, search], { type: "native", vendor: "openai", value })).toMatchObject(refused);
    }
    const named = native("anthropic", { type: "web_search_20260209", name: "web_search" });
    expect(review([own, named], { type: "tool", kind: "function", name: "web_search" }).refusal).not.toBeNull();
  });

  test("is kept if the provider runs it", () => {
    const column = codecs["openai-responses"].provider.support("gpt-6");
    const request = requestOf([], { tools: [search] });
    expect(omitHostedTools(request, column, "refuse")).toEqual({ request, omitted: [], refusal: null });
  });
});

test("a tool that a vendor defines and the caller runs is refused", () => {
  for (const tool of [
    native("anthropic", { type: "bash_20250124", name: "bash" }),
    native("openai", { type: "local_shell" }),
  ]) {
    expect(review([own, tool]).refusal).toMatchObject({ path: "tools[1]" });
  }
});
