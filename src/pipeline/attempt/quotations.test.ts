import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { withoutQuotations } from "./quotations.ts";

const body = (content: string, more: object = {}) =>
  JSON.stringify({ model: "provider/model-2026-01", messages: [{ role: "user", content }], ...more });

describe("withoutQuotations", () => {
  test("removes quotations of the request from the message", () => {
    const sent = body("My card number is 4111 and I live in Rome");
    expect(withoutQuotations("Invalid: 'My card number is 4111 and I live' was flagged.", sent, "m")).toBe(
      "Invalid: '[...]' was flagged.",
    );
  });

  test("leaves the names of models and members, and short words that both use", () => {
    const sent = body("The model does exist", { max_completion_tokens: 5 });
    for (const message of [
      "The model `provider/model-2026-01` does not exist.",
      "Use 'max_completion_tokens' instead.",
      "The model is unknown.",
    ]) {
      expect(withoutQuotations(message, sent, "provider/model-2026-01")).toBe(message);
    }
  });

  test("finds quotations of a body whose characters are escaped", () => {
    const sent = String.raw`{"content":"Gr\u00fc\u00dfe an alle Kollegen"}`;
    expect(withoutQuotations("Not allowed: Grüße an alle Kollegen", sent, "m")).toBe("Not allowed: [...]");
  });

  test("hides the message of a request that is too long to be searched", () => {
    expect(withoutQuotations("Not found", body("x".repeat(600_000)), "m")).toBeNull();
    expect(withoutQuotations("Not found", new TextEncoder().encode(body("short")), "m")).toBe("Not found");
  });

  test("whatever the words around it, a quotation of 16 characters or more is taken out", () => {
    const letters = fc.string({ unit: fc.constantFrom(...Array.from("abcdefgh ")), minLength: 16, maxLength: 60 });
    const others = fc.string({ unit: fc.constantFrom(...Array.from("QRSTUV .:")), maxLength: 60 });
    fc.assert(
      fc.property(letters, others, others, (quoted, before, after) => {
        const clean = withoutQuotations(before + quoted + after, body(quoted), "m") ?? "";
        expect(clean).toContain("[...]");
        expect(clean).not.toMatch(/[a-h]/);
      }),
    );
  });
});
