import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callers } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { Heard } from "../dialects/grammar.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Streams from providers of each dialect to callers of each, checked against the caller's grammar. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway({ server: { keepAliveMs: 10 } });
});
afterAll(() => gateway.stop());

const call = (city: string) => ({ name: "get_weather", arguments: { city } });
const called = (city: string) => ({ name: "get_weather", input: { city } });

const scripts: Readonly<Record<string, { script: object; said: Pick<Heard, "text"> & Partial<Heard> }>> = {
  text: { script: { text: "Grüße, 日本 🎉!" }, said: { text: "Grüße, 日本 🎉!" } },
  "no text at all": { script: { text: "" }, said: { text: "" } },
  "a thought and text": { script: { reasoning: "Let me see.", text: "Seen." }, said: { text: "Seen." } },
  "a call": { script: { tool_calls: [call("Paris")] }, said: { text: "", calls: [called("Paris")] } },
  "a thought, text and two calls": {
    script: { reasoning: "Two.", text: "I will look.", tool_calls: [call("Paris"), call("Rome")] },
    said: { text: "I will look.", calls: [called("Paris"), called("Rome")] },
  },
  "a call without arguments": {
    script: { tool_calls: [{ name: "get_weather", arguments: {} }] },
    said: { text: "", calls: [{ name: "get_weather", input: {} }] },
  },
};

const framings = {
  "as usual": {},
  "cut anywhere, CRLF": { framing: { split: 7, newline: "crlf" } },
  "all at once, with comments": { framing: { split: "merge", comments: true } },
} as const;

describe.each(callers.map((caller) => [caller.name, caller] as const))("to a caller of %s", (_name, caller) => {
  test.each([{}, { ignore_stream: true }])(
    "characters at which some clients end a line are escaped (%j)",
    async (more) => {
      const text = "One\u2028two\u2029three\u0085four.";
      const elsewhere = modelOf(caller.name === "chat" ? "anthropic-messages" : "openai-chat");
      const prompt = scripted({ text, ...more });
      const stream = await (await post(gateway, caller, elsewhere, prompt, { stream: true })).text();
      expect(stream).not.toMatch(/[\u2028\u2029\u0085]/);
      expect(caller.hear(stream).text).toBe(text);
    },
  );

  describe.each(dialects.map((dialect) => [dialect]))("from %s", (dialect) => {
    const cases = Object.entries(scripts).flatMap(([name, { script, said }]) =>
      Object.entries(framings).map(([how, framing]) => [name, how, { ...script, ...framing }, said] as const),
    );

    test.each(cases)("%s, %s", async (_script, _how, script, said) => {
      const response = await post(gateway, caller, modelOf(dialect), scripted(script), { stream: true, tools: true });
      const stream = await response.text();
      expect({ status: response.status, stream: response.ok ? "" : stream }).toEqual({ status: 200, stream: "" });
      const { text, calls } = caller.hear(stream);
      expect({ text, calls }).toEqual({ calls: [], ...said });
      expect(await gateway.record(requestIdOf(response))).toMatchObject({ status: "succeeded", stream: true });
    });

    test("the record is there before the last event", async () => {
      const response = await post(gateway, caller, modelOf(dialect), scripted({ text: "Done." }), { stream: true });
      const reader = response.body?.getReader();
      let received = "";
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (value !== undefined) received += new TextDecoder().decode(value);
        if (done || (caller.lastWord !== null && received.includes(caller.lastWord))) break;
      }
      expect(await gateway.record(requestIdOf(response))).toMatchObject({ status: "succeeded" });
      await reader?.cancel();
    });

    test("a silent provider: keep-alives in the caller's format", async () => {
      const prompt = scripted({ chunks: ["One.", "Two."], chunk_delay_ms: 30 });
      const response = await post(gateway, caller, modelOf(dialect), prompt, { stream: true });
      const stream = await response.text();
      expect(stream).toMatch(caller.keepAlive);
      expect(caller.hear(stream).text).toBe("One.Two.");
    });

    test("JSON instead of a stream", async () => {
      const prompt = scripted({ text: "Whole.", ignore_stream: true });
      const response = await post(gateway, caller, modelOf(dialect), prompt, { stream: true });
      expect(caller.hear(await response.text()).text).toBe("Whole.");
      expect(await gateway.record(requestIdOf(response))).toMatchObject({ status: "succeeded", stream: true });
    });

    test("a stream instead of JSON", async () => {
      const prompt = scripted({ text: "In pieces.", force_stream: true });
      const response = await post(gateway, caller, modelOf(dialect), prompt);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(caller.textOf(await response.json())).toBe("In pieces.");
      expect(await gateway.record(requestIdOf(response))).toMatchObject({ status: "succeeded", stream: false });
    });

    test("an answer cut at its limit has the right finish reason", async () => {
      const prompt = scripted({ text: "Too much to say.", finish_reason: "length" });
      const response = await post(gateway, caller, modelOf(dialect), prompt, { stream: true });
      expect(["length", "max_tokens", "MAX_TOKENS", "incomplete"]).toContain(caller.hear(await response.text()).finish);
    });
  });
});
