import { createHmac } from "node:crypto";
import { expect, test } from "bun:test";
import { validateWebhook } from "replicate";
import { readReplicateWebhook } from "./webhook.ts";

const secret = `whsec_${Buffer.from("a secret of 24 characters").toString("base64")}`;
const now = 1_700_000_000_000;
const body = JSON.stringify({ id: "prediction-1", status: "succeeded" });

/** A webhook as Replicate sends it, with some headers changed. */
function webhook(change: Readonly<Record<string, string>> = {}, sent = body) {
  const facts = { id: "msg_1", timestamp: String(now / 1_000) };
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${facts.id}.${facts.timestamp}.${body}`).digest("base64");
  const headers: Readonly<Record<string, string>> = { ...facts, signature: `v1,bad v1,${signature}`, ...change };
  return { header: (name: string) => headers[name.replace("webhook-", "")] ?? null, body: Buffer.from(sent), now };
}

test("a webhook is read that the vendor's client finds good", async () => {
  const told = webhook();
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map(
    (name) => told.header(`webhook-${name}`) ?? "",
  );
  if (id === undefined || timestamp === undefined || signature === undefined) throw new Error("No headers.");
  expect(await validateWebhook({ id, timestamp, signature, body, secret })).toBe(true);
  expect(readReplicateWebhook(told, secret)).toBe("prediction-1");
});

test.each<[string, ReturnType<typeof webhook>, string]>([
  ["another secret", webhook(), `whsec_${Buffer.from("another secret, of 26 bytes").toString("base64")}`],
  ["another body", webhook({}, '{"id":"prediction-2"}'), secret],
  ["another id", webhook({ id: "msg_2" }), secret],
  ["no signature", webhook({ signature: "" }), secret],
  ["a time long ago", { ...webhook(), now: now + 301_000 }, secret],
])("a webhook with %s is not", (_what, told, key) => {
  expect(readReplicateWebhook(told, key)).toBeNull();
});
