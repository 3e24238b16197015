import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventTemplate } from "./event-template.ts";

const eventOf = (data: unknown) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const chunk = (content: string, others: object = {}) =>
  eventOf({
    id: "chatcmpl-1",
    created: 1,
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
    ...others,
  });

function learned(...events: readonly Buffer[]): EventTemplate {
  const template = new EventTemplate();
  for (const event of events) template.learn(event);
  return template;
}

const fits = (template: EventTemplate, event: Buffer) => template.endOf(event, 0) === event.length;

describe("an event fits what was learned", () => {
  const template = learned(chunk("Hello"), chunk(" to"));
  test.each(["", " you", '"quoted"', "line\nfeed", "ünïcödé", "\u2028\\", "\u0001"])(
    "a piece of text: %j",
    (content) => {
      expect(fits(template, chunk(content))).toBeTrue();
    },
  );

  test("with several strings that vary", () => {
    const obfuscated = (content: string, obfuscation: string) => chunk(content, { obfuscation });
    const both = learned(obfuscated("Hello", "abc"), obfuscated(" to", "defg"));
    expect(fits(both, obfuscated(" you", ""))).toBeTrue();
    expect(fits(both, chunk(" you"))).toBeFalse();
  });

  test("in the middle of a piece", () => {
    const piece = Buffer.concat([chunk("a"), chunk("b"), chunk("c")]);
    const { length } = chunk("a");
    expect(template.endOf(piece, length)).toBe(2 * length);
    expect(template.endOf(piece, length - 1)).toBe(-1);
    expect(template.endOf(piece.subarray(0, 2 * length - 1), length)).toBe(-1);
  });
});

describe("an event does not fit", () => {
  const template = learned(chunk("Hello"), chunk(" to"));
  const text = chunk("you").toString();
  test.each<[name: string, event: Buffer]>([
    ["a comma too many", Buffer.from(text.replace("{", "{,"))],
    ["a brace missing", Buffer.from(text.replace("}]}", "}]"))],
    ["a string that does not end", Buffer.from(text.replace('you"', "you"))],
    ["a quote within a string", Buffer.from(text.replace("you", 'y"u'))],
    ["a control character", Buffer.from(text.replace("you", "y\tu"))],
    ["an unknown escape", Buffer.from(text.replace("you", "y\\u12 g"))],
    ["an escape cut short", Buffer.from(text.replace("you", "you\\"))],
    ["another number", chunk("you", { created: 2 })],
    ["a finish reason", chunk("you", { choices: [{ index: 0, delta: { content: "you" }, finish_reason: "stop" }] })],
    ["a field more", chunk("you", { usage: {} })],
    ["the end", Buffer.from("data: [DONE]\n\n")],
  ])("%s", (_name, event) => {
    expect(fits(template, event)).toBeFalse();
  });

  test("nothing was learned, or events of different shapes", () => {
    expect(fits(new EventTemplate(), chunk("a"))).toBeFalse();
    expect(fits(learned(chunk("a")), chunk("a"))).toBeFalse();
    expect(fits(learned(chunk("a"), chunk("b", { usage: null })), chunk("b", { usage: null }))).toBeFalse();
  });

  test("what was learned from has a comment with a quote", () => {
    const odd = (content: string) => Buffer.concat([Buffer.from(': "\n'), chunk(content)]);
    expect(fits(learned(odd("a"), odd("b")), odd("c"))).toBeFalse();
  });
});

test("what fits is valid JSON, whichever bytes are changed", () => {
  const content = fc.string({ unit: "binary" });
  const change = fc.record({ at: fc.nat(), count: fc.nat(3), by: fc.string({ maxLength: 4 }) });
  const property = fc.property(content, content, content, fc.option(change), (first, second, third, changed) => {
    const template = learned(chunk(first), chunk(second));
    let event = chunk(third);
    if (changed !== null) {
      const at = changed.at % event.length;
      event = Buffer.concat([event.subarray(0, at), Buffer.from(changed.by), event.subarray(at + changed.count)]);
    }
    if (!fits(template, event)) {
      // Two equal strings are not known to vary.
      expect(changed !== null || first === second).toBeTrue();
      return;
    }
    const text = event.toString();
    expect(text).toStartWith("data: {");
    expect(text).toEndWith("}\n\n");
    JSON.parse(text.slice(6));
  });
  fc.assert(property, { numRuns: 2_000 });
});
