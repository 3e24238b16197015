import { AddressRefused, pinUrl, type GuardPolicy } from "./address-guard-pin.ts";

/** Why an address gave nothing. The message completes "could not be fetched: ..." and is safe to show. */
export class FetchProblem extends Error {
  override readonly name = "FetchProblem";
}

export interface FetchLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The content of an address. */
export interface FetchedBytes {
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
}

/** Is told of every piece. Throws if it is too much; if it resolves, the next one is read then. */
export type TakeBytes = (bytes: number) => Promise<void> | undefined | void;

const maxRedirects = 3;
const maxUrlLength = 8_192;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches one address through the guard, which checks each redirect too. Nothing of the gateway's or the caller's own
 * is sent. `take` gets every piece, throws if it is too much, and is waited for. Throws a `FetchProblem`.
 */
export async function fetchOne(
  address: string,
  accept: string,
  policy: GuardPolicy,
  limits: FetchLimits,
  take: TakeBytes,
): Promise<FetchedBytes> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  // Names are resolved without a signal, so that wait is raced.
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const onLate = () => reject(late.reason);
  late.addEventListener("abort", onLate, { once: true });
  try {
    return await Promise.race([follow(address, accept, policy, limits, take, late), tooLate]);
  } catch (error) {
    if (error instanceof FetchProblem) throw error;
    if (error instanceof AddressRefused) throw new FetchProblem(error.message);
    if (late.aborted) throw new FetchProblem(`it took longer than ${limits.timeoutMs / 1000} seconds`);
    throw new FetchProblem("its host could not be reached, or its connection broke");
  } finally {
    late.removeEventListener("abort", onLate);
  }
}

async function follow(
  address: string,
  accept: string,
  policy: GuardPolicy,
  limits: FetchLimits,
  take: TakeBytes,
  signal: AbortSignal,
): Promise<FetchedBytes> {
  let url = parse(address);
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await request(url, accept, policy, signal);
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return await read(response, limits, take);
    await response.body?.cancel();
    const next = parse(location, url);
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw new FetchProblem("it redirects from https:// to http://");
    }
    url = next;
  }
  throw new FetchProblem(`it redirects more than ${maxRedirects} times`);
}

function parse(address: string, base?: URL): URL {
  const url = address.length > maxUrlLength ? null : URL.parse(address, base?.href);
  if (url === null) throw new FetchProblem("it is not an https:// address");
  return url;
}

async function request(url: URL, accept: string, policy: GuardPolicy, signal: AbortSignal): Promise<Response> {
  const { connectTo, host, serverName } = await pinUrl(url, policy);
  signal.throwIfAborted();
  return fetch(connectTo, {
    headers: { host, accept, "accept-encoding": "identity", "user-agent": "tollgate" },
    redirect: "manual",
    // A connection made for one name must not serve another one at the same address.
    keepalive: false,
    decompress: false,
    signal,
    ...(serverName === null ? {} : { tls: { serverName } }),
  });
}

async function read(response: Response, limits: FetchLimits, take: TakeBytes): Promise<FetchedBytes> {
  try {
    if (!response.ok) throw new FetchProblem(`its host answered with HTTP ${response.status}`);
    const { headers } = response;
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") throw new FetchProblem("its host sent it compressed");
    if (Number(headers.get("content-length") ?? 0) > limits.maxBytes) throw tooLarge(limits);
    const pieces: Uint8Array[] = [];
    let total = 0;
    for await (const piece of response.body ?? []) {
      total += piece.length;
      if (total > limits.maxBytes) throw tooLarge(limits);
      pieces.push(piece);
      const room = take(piece.length);
      if (room !== undefined) await room;
    }
    if (total === 0) throw new FetchProblem("it is empty");
    return { contentType: headers.get("content-type"), bytes: Buffer.concat(pieces) };
  } catch (error) {
    // Nothing waits for bytes that are not read.
    if (response.body !== null && !response.body.locked) await response.body.cancel();
    throw error;
  }
}

function tooLarge({ maxBytes }: FetchLimits): FetchProblem {
  return new FetchProblem(`it is larger than ${maxBytes} bytes`);
}
