import { expect, test } from "bun:test";
import { cutMessage } from "./cut-message.ts";

test("long values are cut, also those of several words, and what is short stays", () => {
  const usual = "error: option '--usd <amount>' argument 'x' is invalid. Allowed: an amount in USD.\n  second line\n";
  expect(cutMessage(usual)).toBe(usual);
  expect(cutMessage(`argument '${"x".repeat(100_000)}' is invalid`)).toBe(
    `argument '${"x".repeat(200)}...' is invalid`,
  );
  expect(cutMessage(`argument '${"a b ".repeat(1_000)}' is invalid`).length).toBeLessThan(230);
  expect(cutMessage(`unknown ${"y".repeat(500)}`)).toBe(`unknown ${"y".repeat(300)}...`);
  expect(cutMessage("z ".repeat(100_000)).length).toBeLessThan(4_010);
});

test("secrets are left out before anything is cut", () => {
  const key = "sk-tg-0123456789-abcdefghijklmnopqrstuvwxyz";
  for (const text of [`unknown key ${key}`, `'${"x".repeat(180)} ${key}'`, `postgres://u:secretword@host/db`]) {
    expect(cutMessage(text)).toContain("[redacted]");
    expect(cutMessage(text)).not.toMatch(/sk-tg|abcdef|secretword/);
  }
});
