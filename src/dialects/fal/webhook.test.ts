import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "bun:test";
import { readFalWebhook } from "./webhook.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const x = publicKey.export({ format: "jwk" }).x ?? "";
const other = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x ?? "";
const now = 1_700_000_000_000;
const body = Buffer.from(JSON.stringify({ request_id: "job-1", gateway_request_id: "g", status: "OK" }));

/** A webhook as fal sends it, with some headers changed. */
function webhook(change: Readonly<Record<string, string>> = {}, sent = body) {
  const facts = { "request-id": "job-1", "user-id": "user", timestamp: String(now / 1_000) };
  const digest = createHash("sha256").update(body).digest("hex");
  const signed = `${facts["request-id"]}\n${facts["user-id"]}\n${facts.timestamp}\n${digest}`;
  const signature = sign(null, Buffer.from(signed), privateKey).toString("hex");
  const headers: Readonly<Record<string, string>> = { ...facts, signature, ...change };
  return { header: (name: string) => headers[name.replace("x-fal-webhook-", "")] ?? null, body: sent, now };
}

test("a webhook is read if one of the keys has signed it", () => {
  expect(readFalWebhook(webhook(), x)).toBe("job-1");
  expect(readFalWebhook(webhook(), `${other}, ${x}`)).toBe("job-1");
});

test.each<[string, ReturnType<typeof webhook>, string]>([
  ["another key", webhook(), other],
  ["no key", webhook(), "not a key"],
  ["another body", webhook({}, Buffer.from('{"request_id":"job-2"}')), x],
  ["another user", webhook({ "user-id": "someone" }), x],
  ["a signature that is none", webhook({ signature: "zz" }), x],
  ["no signature", webhook({ signature: "" }), x],
  ["a time long ago", { ...webhook(), now: now + 301_000 }, x],
  ["a time that is none", webhook({ timestamp: "1e9" }), x],
])("a webhook with %s is not", (_what, told, keys) => {
  expect(readFalWebhook(told, keys)).toBeNull();
});
