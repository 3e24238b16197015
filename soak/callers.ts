import { type Asking, askIn, type Dialect } from "./dialects.ts";
import { type Desk, exchange, type Manner, type Seen } from "./exchange.ts";
import type { Ledger } from "./ledger.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { aliases, maxBodyBytes, models, policies } from "./world.ts";

/** The keys. Each has its own kind of caller. */
export const keyNames = ["plain", "limited", "flooding", "scoped", "leaving"] as const;
export type KeyName = (typeof keyNames)[number];

/** The scope of the key `scoped`. */
export const scopedModels = ["by-priority", "quick", "open/*"];
const namesInScope = ["by-priority", "quick", "open/1", "open/2"];

/** Each key's share of the callers; the rest is `plain`. */
const shares: readonly (readonly [KeyName, number])[] = [
  ["limited", 0.1],
  ["flooding", 0.25],
  ["scoped", 0.1],
  ["leaving", 0.15],
];

export interface Crowd {
  readonly gatewayUrl: string;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly ledger: Ledger;
  readonly callers: number;
  readonly isOver: () => boolean;
}

/** One caller, and all it needs. */
interface Caller extends Desk {
  readonly key: string;
  readonly name: KeyName;
  readonly random: SeededRandom;
}

/** All callers at once, each with one request after the other, until it is over and the last answer has come. */
export async function callAll(crowd: Crowd, randomOf: (caller: number) => SeededRandom): Promise<void> {
  const names = shares.flatMap(([name, share]) => Array<KeyName>(Math.round(share * crowd.callers)).fill(name));
  await Promise.all(
    Array.from({ length: crowd.callers }, async (_, place) => {
      const name = names[place] ?? "plain";
      const { gatewayUrl, ledger, keys } = crowd;
      const caller: Caller = { gatewayUrl, ledger, keyName: name, name, key: keys[name], random: randomOf(place) };
      while (!crowd.isOver()) await actOnce(caller);
    }),
  );
}

async function actOnce(caller: Caller): Promise<void> {
  const { name, random } = caller;
  if (name === "leaving") await leave(caller);
  else if (name === "flooding") await flood(caller);
  else await random.one(habits)(caller);
  // Others pause between two requests; a flooding one waits only if it is turned away.
  if (name !== "flooding") await Bun.sleep(random.between(0, 60));
}

/** The actions of callers, the usual ones more often. */
const habits: readonly ((caller: Caller) => Promise<unknown>)[] = [
  ...Array<typeof askAndLookUp>(12).fill(askAndLookUp),
  askSlowly,
  askSlowly,
  askInTime,
  askInTime,
  askAgain,
  askAgain,
  askTooMuch,
  askForNothing,
  askWithoutKey,
  askBadly,
];

/** A request like most: any dialect, any name, streamed or not. */
function anything(caller: Caller, streams = caller.random.chance(0.5)): { asking: Asking; stream: boolean } {
  const { random, key } = caller;
  const dialect = random.one<Dialect>(["chat", "chat", "messages", "responses", "gemini", "embeddings"]);
  const stream = streams && dialect !== "embeddings";
  const model = dialect === "embeddings" ? "embedding" : anyName(caller);
  const text = `Tell me about the number ${random.between(1, 1_000_000)}. ${"And more. ".repeat(random.between(0, 40))}`;
  return { asking: askIn(dialect, { key, model, text, stream }), stream };
}

function anyName({ random, name }: Caller): string {
  if (name === "scoped" && random.chance(0.7)) return random.one(namesInScope);
  const kind = random.next();
  if (kind < 0.35) return random.one(models);
  return kind < 0.85 ? random.one(policies) : random.one(aliases);
}

async function ask(caller: Caller, manner: Manner = {}): Promise<Seen | null> {
  return exchange(caller, anything(caller).asking, manner);
}

/** A record can be looked up as soon as the last byte of its answer has come. */
async function askAndLookUp(caller: Caller): Promise<void> {
  const seen = await ask(caller);
  if (!seen || seen.ending !== "whole" || !caller.random.chance(0.1)) return;
  const url = `${caller.gatewayUrl}/api/usage/requests/${seen.id}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${caller.key}` } });
  await response.text();
  caller.ledger.lookedUp();
  if (response.status !== 200) caller.ledger.incident(`the lookup of ${seen.id} was answered with ${response.status}`);
}

async function askSlowly(caller: Caller): Promise<void> {
  await exchange(caller, anything(caller, true).asking, { readPauseMs: caller.random.between(50, 250) });
}

async function askInTime(caller: Caller): Promise<void> {
  await ask(caller, { headers: { "x-request-timeout-ms": String(caller.random.between(30, 3000)) } });
}

/** The same request twice under one `Idempotency-Key`, one after the other or both at once. */
async function askAgain(caller: Caller): Promise<void> {
  const { asking, stream } = anything(caller);
  const manner = { headers: { "idempotency-key": crypto.randomUUID() } };
  if (caller.random.chance(0.3)) {
    await Promise.all([exchange(caller, asking, manner), exchange(caller, asking, manner)]);
    return;
  }
  const first = await exchange(caller, asking, manner);
  const second = await exchange(caller, asking, manner);
  if (first?.ending !== "whole" || stream || !second || second.status === 429 || second.status === 503) return;
  if (second.isReplay && second.id === first.id && second.body === first.body) return;
  caller.ledger.incident(`${first.id} was asked for again and ${second.id} answered with ${second.status}`);
}

async function askTooMuch(caller: Caller): Promise<void> {
  const text = "too much ".repeat(maxBodyBytes / 8);
  await exchange(caller, askIn("chat", { key: caller.key, model: "steady", text, stream: false }));
}

async function askForNothing(caller: Caller): Promise<void> {
  const dialect = caller.random.one<Dialect>(["chat", "messages", "responses", "gemini"]);
  await exchange(caller, askIn(dialect, { key: caller.key, model: "no-such-model", text: "?", stream: false }));
}

async function askWithoutKey(caller: Caller): Promise<void> {
  await exchange(caller, askIn("chat", { key: "sk-tg-unknown", model: "steady", text: "?", stream: false }));
}

async function askBadly(caller: Caller): Promise<void> {
  const { path, headers } = askIn("chat", { key: caller.key, model: "steady", text: "?", stream: false });
  await exchange(caller, {
    path,
    headers,
    body: `{"model": "steady", "messages": ${caller.random.one(["7}", "", "[]}"])}`,
  });
}

/** Before the answer, or in the middle of it. */
async function leave(caller: Caller): Promise<void> {
  const { random } = caller;
  if (random.chance(0.5)) await ask(caller, { leaveAfterMs: random.between(1, 400) });
  else await exchange(caller, anything(caller, true).asking, { leaveWithin: true });
}

async function flood(caller: Caller): Promise<void> {
  const seen = await ask(caller);
  if (seen === null || seen.status === 503 || seen.status === 429) await Bun.sleep(caller.random.between(20, 100));
}
