import { afterEach, expect, test } from "bun:test";
import { createIdempotency, type Idempotency, type IdempotencyOptions } from "./idempotency.ts";
import type { Claim, NewClaim, StandingClaim } from "./store.ts";

const request = { keyId: "k123456789", idempotencyKey: "order-1", requestId: "req_2", bodyHash: "a" };
const { bodyHash: _bodyHash, ...claim } = request;
const now = 1_000_000_000;
const answer = { contentType: "application/json", body: "{}" };

const started: Idempotency[] = [];
afterEach(() => {
  for (const each of started.splice(0)) each.stop();
});

/** A store with one existing claim, or none. */
function setUp(standing: StandingClaim | null | Error, options: Partial<IdempotencyOptions> = {}) {
  const asked: NewClaim[] = [];
  const renewed: { readonly claims: readonly Claim[]; readonly leaseUntil: number }[] = [];
  const released: Claim[] = [];
  const warnings: unknown[] = [];
  const store: IdempotencyOptions["store"] = {
    async claim(claim) {
      asked.push(claim);
      if (standing instanceof Error) throw standing;
      return standing;
    },
    async renew(claims, leaseUntil) {
      renewed.push({ claims, leaseUntil });
    },
    async release(claim) {
      released.push(claim);
    },
    deleteExpired: async () => 0,
  };
  const idempotency = createIdempotency({
    store,
    clock: { now: () => now },
    log: { warn: (fields) => void warnings.push(fields) },
    isStoreAway: () => false,
    ...options,
  });
  started.push(idempotency);
  return { idempotency, store, asked, renewed, released, warnings };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("The condition did not come true within 5 s.");
    await Bun.sleep(1);
  }
}

const thrown = (claimed: Promise<unknown>) =>
  claimed.then(
    () => null,
    (error: unknown) => error,
  );
const conflict = (words: RegExp) =>
  expect.objectContaining({
    status: 409,
    type: "conflict_error",
    code: "idempotency_conflict",
    retryAfterSeconds: words.source.includes("still running") ? 1 : null,
    message: expect.stringMatching(words),
  });
const away = expect.objectContaining({ status: 503, code: "storage_unavailable", retryAfterSeconds: 5 });

test("a free key is claimed for a minute, and claims expire after a day", async () => {
  const { idempotency, asked } = setUp(null);
  expect(await idempotency.claim(request)).toEqual({ kind: "claimed", claim });
  expect(asked).toEqual([{ ...request, now, leaseUntil: now + 60_000, aliveSince: now - 86_400_000 }]);
});

test("a conflict names the other request and the reason", async () => {
  const standing = { requestId: "req_1", bodyHash: "a", isFinished: true, answer };
  expect(await setUp(standing).idempotency.claim(request)).toEqual({ kind: "replay", requestId: "req_1", answer });
  const refusals: [StandingClaim, RegExp][] = [
    [{ ...standing, bodyHash: "b", answer: null }, /different path or body/],
    [{ ...standing, bodyHash: "b", isFinished: false, answer: null }, /different path or body/],
    [{ ...standing, isFinished: false, answer: null }, /req_1, is still running/],
    [{ ...standing, answer: null }, /not stored.*\/api\/usage\/requests\/req_1/],
  ];
  for (const [stands, words] of refusals) {
    expect(await thrown(setUp(stands).idempotency.claim(request))).toEqual(conflict(words));
  }
});

test("if the store fails, the request does not run, and the possible claim is released", async () => {
  const failing = setUp(new Error("no database"));
  expect(await thrown(failing.idempotency.claim(request))).toEqual(away);
  expect(failing.warnings).toEqual([{ request_id: "req_2", error: "Error: no database" }]);
  expect(failing.released).toMatchObject([claim]);

  const known = setUp(null, { isStoreAway: () => true });
  expect(await thrown(known.idempotency.claim(request))).toEqual(away);
  expect(known.asked).toEqual([]);
});

test("claims are renewed while they are held", async () => {
  const { idempotency, renewed, released } = setUp(null, { renewEveryMs: 1 });
  const claims: Claim[] = [];
  for (const requestId of ["req_1", "req_2", "req_3"]) {
    const claimed = await idempotency.claim({ ...request, idempotencyKey: requestId, requestId });
    if (claimed.kind === "claimed") claims.push(claimed.claim);
  }
  await until(() => renewed.at(-1)?.claims.length === 3);
  expect(renewed.at(-1)).toEqual({ claims, leaseUntil: now + 60_000 });
  const [first, second, third] = claims;
  idempotency.finish(first!);
  await idempotency.release(second!);
  await until(() => renewed.at(-1)?.claims.length === 1);
  expect(renewed.at(-1)?.claims).toEqual([third!]);
  expect(released).toEqual([second!]);
});

test("a failed renewal is retried, a failed release is not", async () => {
  const { idempotency, store, warnings } = setUp(null, { renewEveryMs: 1 });
  let renewals = 0;
  store.renew = async () => {
    renewals += 1;
    throw new Error("no database");
  };
  store.release = async () => {
    throw new Error("none either");
  };
  await idempotency.claim(request);
  const claimed = await idempotency.claim({ ...request, requestId: "req_3" });
  await until(() => renewals >= 3);
  if (claimed.kind === "claimed") await idempotency.release(claimed.claim);
  expect(warnings).toContainEqual({ error: "Error: no database" });
  expect(warnings).toContainEqual({ request_id: "req_3", error: "Error: none either" });
});

test("rounds of renewals do not overlap", async () => {
  const { idempotency, store } = setUp(null, { renewEveryMs: 1 });
  const first = Promise.withResolvers<void>();
  let renewals = 0;
  let ticks = 0;
  store.renew = () => {
    renewals += 1;
    return first.promise;
  };
  await idempotency.claim(request);
  const ticking = setInterval(() => ticks++, 1);
  await until(() => ticks > 20);
  clearInterval(ticking);
  expect(renewals).toBe(1);
  first.resolve();
  await until(() => renewals > 1);
});

test("the number of claims of one process is bounded", async () => {
  const { idempotency } = setUp(null);
  for (let at = 0; at < 10_000; at += 1) await idempotency.claim({ ...request, requestId: `req_${at}` });
  expect(await thrown(idempotency.claim(request))).toEqual(
    expect.objectContaining({ status: 503, code: "overloaded" }),
  );
});
