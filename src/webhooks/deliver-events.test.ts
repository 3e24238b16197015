import { Database } from "bun:sqlite";
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../storage/open-storage.ts";
import { type Delivery, type DeliveryOptions, startDelivery } from "./deliver-events.ts";
import { type Receiver, startReceiver } from "./receiver.testkit.ts";
import type { Webhook } from "./webhook.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-webhooks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const secret = "a text of more than 24 characters";
const start = 1_700_000_000_000;
const day = 24 * 3_600_000;

/** A storage with an outbox, on which deliveries run by a clock of their own. */
async function setUp() {
  const path = join(folder, `${Math.random()}.db`);
  const storage = await openStorage(`sqlite:${path}`);
  cleanups.push(() => storage.close());
  const database = new Database(path);
  const clock = { time: start, now: () => clock.time };
  const lines: { readonly level: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const log = {
    warn: (fields: Readonly<Record<string, unknown>>) => void lines.push({ level: "warn", fields }),
    error: (fields: Readonly<Record<string, unknown>>) => void lines.push({ level: "error", fields }),
  };
  return {
    path,
    clock,
    lines,
    add: (id: string, kind = "usage.unpriced", accountId = "default"): void => {
      const insert =
        "insert into outbox (id, kind, account_id, payload, created_at, next_attempt_at) values (?, ?, ?, ?, ?, ?)";
      database.run(insert, [id, kind, accountId, '{"model":"m"}', clock.time, clock.time]);
    },
    row: (id: string) =>
      database.query<Record<string, unknown>, [string]>("select * from outbox where id = ?").get(id) ?? {},
    deliver: (webhooks: readonly Webhook[], options: Partial<DeliveryOptions> = {}): Delivery => {
      const { outbox } = storage;
      const delivery = startDelivery({ webhooks, outbox, clock, log, intervalMs: day, timeoutMs: 2_000, ...options });
      cleanups.push(() => delivery.stop());
      return delivery;
    },
  };
}

function receive(): Receiver {
  const receiver = startReceiver();
  cleanups.push(() => receiver.stop());
  return receiver;
}

const to = (url: string, fields: Partial<Webhook> = {}): Webhook => {
  return { accountId: null, url, secret, events: null, allowPrivate: true, ...fields };
};

describe("an event", () => {
  test("is posted once, signed, to each webhook that wants it", async () => {
    const { add, row, deliver, clock } = await setUp();
    const receiver = receive();
    add("evt_1");
    add("evt_2", "usage.suspect", "team-a");
    const delivery = deliver([
      to(`${receiver.url}/all`),
      to(`${receiver.url}/team`, { accountId: "team-a" }),
      to(`${receiver.url}/unpriced`, { events: ["usage.unpriced"] }),
    ]);
    await delivery.deliverDue();
    await delivery.deliverDue();
    expect(receiver.received.map(({ path, id }) => `${path} ${id}`).sort()).toEqual([
      "/all evt_1",
      "/all evt_2",
      "/team evt_2",
      "/unpriced evt_1",
    ]);
    const [{ headers, body } = { headers: new Headers(), body: "" }] = receiver.received;
    expect(JSON.parse(body)).toEqual({
      type: expect.any(String),
      timestamp: "2023-11-14T22:13:20.000Z",
      data: { model: "m" },
    });
    expect(headers.get("webhook-timestamp")).toBe(String(start / 1000));
    expect(headers.get("webhook-signature")).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(row("evt_1")).toMatchObject({ delivered_at: clock.time, next_attempt_at: null, attempts: 0 });
  });

  test("that no webhook wants is done", async () => {
    const { add, row, deliver } = await setUp();
    add("evt_1", "budget.exceeded");
    await deliver([to("http://127.0.0.1:1/", { events: ["usage.*"] })]).deliverDue();
    expect(row("evt_1")).toMatchObject({ delivered_at: start });
  });

  test("that was not taken comes again, with its id and body, to that webhook alone", async () => {
    const { add, row, deliver, clock, lines } = await setUp();
    const [good, bad] = [receive(), receive()];
    bad.answer = () => new Response("no", { status: bad.received.length === 1 ? 500 : 200 });
    add("evt_1");
    const delivery = deliver([to(good.url), to(`${bad.url}/hooks/token-in-path`)]);
    await delivery.deliverDue();
    expect(row("evt_1")).toMatchObject({ attempts: 1, delivered_at: null });
    clock.time += 4_999;
    await delivery.deliverDue();
    expect(bad.received).toHaveLength(1);
    clock.time += 1_000;
    await delivery.deliverDue();
    expect([good.received.length, bad.received.map(({ id }) => id)]).toEqual([1, ["evt_1", "evt_1"]]);
    const [first, second] = bad.received;
    expect(first?.body).toBe(String(second?.body));
    expect(first?.headers.get("webhook-signature")).not.toBe(String(second?.headers.get("webhook-signature")));
    expect(row("evt_1")).toMatchObject({ delivered_at: clock.time, next_attempt_at: null });
    expect(lines).toMatchObject([{ level: "warn", fields: { event: "evt_1", problem: "it answered with HTTP 500" } }]);
    expect(JSON.stringify(lines)).not.toMatch(/token-in-path|a text of more/);
  });

  test("that is never taken is given up after nine waits, which grow", async () => {
    const { add, row, deliver, clock, lines } = await setUp();
    const receiver = receive();
    receiver.answer = () => new Response(null, { status: 503 });
    add("evt_1");
    const delivery = deliver([to(receiver.url)]);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await delivery.deliverDue();
      expect(receiver.received).toHaveLength(attempt);
      const next = row("evt_1").next_attempt_at;
      if (typeof next !== "number") break;
      waits.push((next - clock.time) / 1000);
      clock.time = next;
    }
    expect(waits).toHaveLength(9);
    expect(waits.every((wait, index) => wait > (waits[index - 1] ?? 0))).toBe(true);
    expect(row("evt_1")).toMatchObject({ next_attempt_at: null, delivered_at: null, attempts: 10 });
    expect(lines.at(-1)?.level).toBe("error");
    clock.time += 30 * day;
    await delivery.deliverDue();
    expect(receiver.received).toHaveLength(10);
  });
});

describe("an attempt fails", () => {
  async function problemOf(webhook: Webhook, options: Partial<DeliveryOptions> = {}) {
    const { add, deliver, lines } = await setUp();
    add("evt_1");
    await deliver([webhook], options).deliverDue();
    return lines[0]?.fields.problem;
  }

  test("if the address is private and that is not allowed, also by name", async () => {
    const receiver = receive();
    const refused = "it does not lead to a public host";
    expect(await problemOf(to(receiver.url, { allowPrivate: false }))).toBe(refused);
    const lookup = async () => ["127.0.0.1"];
    const named = to(receiver.url.replace("127.0.0.1", "hooks.example"), { allowPrivate: false });
    expect(await problemOf(named, { lookup })).toBe(refused);
    expect(receiver.received).toEqual([]);
    expect(await problemOf({ ...named, allowPrivate: true }, { lookup })).toBeUndefined();
    expect(receiver.received[0]?.headers.get("host")).toStartWith("hooks.example:");
  });

  test("if it redirects: it is not followed", async () => {
    const [receiver, elsewhere] = [receive(), receive()];
    receiver.answer = () => Response.redirect(elsewhere.url, 307);
    expect(await problemOf(to(receiver.url))).toBe("it answered with HTTP 307");
    expect(elsewhere.received).toEqual([]);
  });

  test("if there is no answer in time, or nobody listens", async () => {
    const receiver = receive();
    receiver.answer = () => new Promise(() => {});
    expect(await problemOf(to(receiver.url), { timeoutMs: 50 })).toBe("it took longer than 50 ms");
    await receiver.stop();
    expect(await problemOf(to(receiver.url))).toBe("it could not be reached");
  });

  test("and an endless answer is not read", async () => {
    const receiver = receive();
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    receiver.answer = () => new Response(endless(), { status: 200 });
    expect(await problemOf(to(receiver.url))).toBeUndefined();
  });
});

describe("a receiver that never answers", () => {
  test("does not hold up the events of other accounts", async () => {
    const { add, row, deliver } = await setUp();
    const [good, silent] = [receive(), receive()];
    silent.answer = () => new Promise(() => {});
    for (let index = 0; index < 100; index += 1) add(`evt_silent_${index}`, "usage.unpriced", "team-silent");
    for (let index = 0; index < 20; index += 1) add(`evt_good_${index}`, "usage.unpriced", "team-good");
    const webhooks = [to(silent.url, { accountId: "team-silent" }), to(good.url, { accountId: "team-good" })];
    void deliver(webhooks, { timeoutMs: 60_000 }).deliverDue();
    await good.arrived(20);
    await silent.arrived(16);
    expect(silent.received.length).toBeLessThan(32);
    expect(row("evt_silent_99")).toMatchObject({ attempts: 0, delivered_at: null, next_attempt_at: start });
  });

  test("rests after three attempts, and does not hold up the webhooks that want the same events", async () => {
    const { add, row, deliver, clock, lines } = await setUp();
    const [good, silent] = [receive(), receive()];
    silent.answer = () => new Promise(() => {});
    const ids = Array.from({ length: 40 }, (_, index) => `evt_${index}`);
    for (const id of ids) add(id);
    const delivery = deliver([to(silent.url), to(good.url)], { timeoutMs: 200 });
    await delivery.deliverDue();
    expect(good.received.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(silent.received.length).toBeLessThan(40);
    const problems = new Set(lines.map(({ fields }) => fields.problem));
    expect(problems).toEqual(new Set(["it took longer than 200 ms", "it did not answer the attempts before"]));
    expect(ids.every((id) => row(id).attempts === 1)).toBe(true);
    silent.answer = () => new Response(null, { status: 204 });
    clock.time += 35_000;
    await delivery.deliverDue();
    expect(ids.every((id) => row(id).delivered_at === clock.time)).toBe(true);
    expect(good.received).toHaveLength(40);
  });
});

test("an attempt that the end of the gateway breaks off is no failed one, and made again after its lease", async () => {
  const { add, row, deliver, clock } = await setUp();
  const receiver = receive();
  receiver.answer = () => new Promise(() => {});
  add("evt_1");
  const stopped = deliver([to(receiver.url)]);
  const running = stopped.deliverDue();
  await receiver.arrived(1);
  await stopped.stop();
  await running;
  expect(row("evt_1")).toMatchObject({ attempts: 0, delivered_at: null });
  receiver.answer = () => new Response(null, { status: 204 });
  clock.time += 60_000;
  await deliver([to(receiver.url)]).deliverDue();
  expect(receiver.received.map(({ id }) => id)).toEqual(["evt_1", "evt_1"]);
});

/** A process that delivers events, for as long as it lives. */
function deliveringProcess(path: string, url: string) {
  const code = `
    const { openStorage } = await import(${JSON.stringify(join(import.meta.dir, "../storage/open-storage.ts"))});
    const { startDelivery } = await import(${JSON.stringify(join(import.meta.dir, "deliver-events.ts"))});
    const { systemClock } = await import(${JSON.stringify(join(import.meta.dir, "../clock.ts"))});
    const log = { warn() {}, error() {} };
    const { outbox } = await openStorage(${JSON.stringify(`sqlite:${path}`)});
    const webhooks = [${JSON.stringify(to(url))}];
    startDelivery({ webhooks, outbox, clock: systemClock, log, intervalMs: 10, leaseMs: 1_000 });
    setInterval(() => {}, 1_000);`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "inherit", stderr: "inherit" });
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return child;
}

describe("processes on one storage", () => {
  test("one that is killed between the delivery and its mark is followed by one that delivers the same id", async () => {
    const { path, add } = await setUp();
    const receiver = receive();
    add("evt_1");
    const doomed = deliveringProcess(path, receiver.url);
    receiver.answer = async () => {
      // It has taken the event, and the process that told it will never know.
      if (receiver.received.length === 1) {
        doomed.kill("SIGKILL");
        await doomed.exited;
      }
      return new Response(null, { status: 204 });
    };
    await receiver.arrived(1);
    await doomed.exited;
    deliveringProcess(path, receiver.url);
    await receiver.arrived(2);
    const [first, second] = receiver.received;
    expect([first?.id, second?.id]).toEqual(["evt_1", "evt_1"]);
    expect(second?.body).toBe(String(first?.body));
  });

  test("that live share the events, each of which is delivered once", async () => {
    const { path, add, row } = await setUp();
    const receiver = receive();
    const ids = Array.from({ length: 100 }, (_, index) => `evt_${index}`);
    for (const id of ids) add(id);
    deliveringProcess(path, receiver.url);
    deliveringProcess(path, receiver.url);
    await receiver.arrived(100);
    while (ids.some((id) => row(id).delivered_at === null)) await Bun.sleep(10);
    expect(receiver.received.map(({ id }) => id).sort()).toEqual(ids.sort());
  });
});
