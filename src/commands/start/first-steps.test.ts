import { describe, expect, test } from "bun:test";
import { defaultConfig } from "../../config/defaults.ts";
import { firstSteps } from "./first-steps.ts";

const url = "http://127.0.0.1:8787";
const sandbox = defaultConfig();
const configured = { ...sandbox, source: "tollgate.yaml", usesSandbox: false };
const firstKey = `sk-tg-0123456789-${"a".repeat(46)}`;

describe("firstSteps", () => {
  test("a first start shows the key and two commands to paste", () => {
    const text = firstSteps({ url, config: sandbox, firstKey });
    expect(text).toContain("serves the built-in sandbox");
    expect(text).toContain(`\n  ${firstKey}\n`);
    expect(text).toContain("ID 0123456789");
    expect(text).toContain(`curl -sN ${url}/v1/chat/completions`);
    expect(text).toContain('"model":"sandbox-chat","stream":true');
    expect(text).toContain(`curl -s "${url}/api/usage/requests/$(`);
    expect(text).toContain(`curl -s ${url}/v1/search`);
  });

  test("with a configuration it does not mention the sandbox, and uses the first model", () => {
    const models = sandbox.models.map((model, index) => (index === 0 ? { ...model, id: "it's/mine" } : model));
    const text = firstSteps({ url, config: { ...configured, models }, firstKey });
    expect(text).not.toContain("sandbox:");
    expect(text).toContain(String.raw`"model":"it'\''s/mine"`);
  });

  test("a wildcard is not the name of a model", () => {
    const [template] = sandbox.models;
    const named = (...ids: string[]) => ids.flatMap((id) => (template ? [{ ...template, id }] : []));
    const shown = (...ids: string[]) =>
      firstSteps({ url, config: { ...configured, models: named(...ids) }, firstKey }) ?? "";
    expect(shown("openai/*", "mine")).toContain('"model":"mine"');
    expect(shown("openai/*")).toContain('"model":"openai/MODEL"');
  });

  test("no key is shown if there are keys already", () => {
    expect(firstSteps({ url, config: sandbox, firstKey: null })).toContain("Bearer $TOLLGATE_API_KEY");
    expect(firstSteps({ url, config: configured, firstKey: null })).toBeNull();
  });

  test("without models there are no commands", () => {
    const text = firstSteps({
      url,
      config: { ...configured, models: [], search: { cache: null, backends: [] } },
      firstKey,
    });
    expect(text).toContain("No model is configured yet.");
    expect(text).not.toContain("curl");
    expect(firstSteps({ url, config: { ...configured, models: [] }, firstKey })).toContain(`curl -s ${url}/v1/search`);
  });

  test("a wildcard address is replaced by the loopback address", () => {
    expect(firstSteps({ url: "http://0.0.0.0:8787/", config: sandbox, firstKey })).toContain(
      "http://127.0.0.1:8787/v1",
    );
    expect(firstSteps({ url: "http://[::]:8787", config: sandbox, firstKey })).toContain("http://[::1]:8787/v1");
  });
});
