import type { Content } from "../../blobs/content.ts";
import type { Scratch } from "../../blobs/scratch.ts";
import { AnswerFault, type UpstreamRequest } from "../../dialects/exchange.ts";
import { FileWriter } from "../../multipart/file-writer.ts";
import type { FormFile } from "../../multipart/form.ts";
import type { FilmSource } from "../../operations/videos/video.ts";
import { type Lookup, lookUpHost, pinUrl } from "../../upstream/address-guard-pin.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { readMp4 } from "../../videos/mp4.ts";
import { beginCall, type ProviderWay } from "./provider-call.ts";

/** A film whose bytes are here. */
export interface CopiedFilm {
  readonly content: Content;
  readonly contentType: string;
  /** As its boxes say; null if they do not. */
  readonly seconds: number | null;
  /** As its boxes say, such as `1280x720`; null if they do not. */
  readonly pixels: string | null;
  /** Removes what was not stored. */
  dispose(): Promise<void>;
}

export interface CopyTools {
  readonly scratch: Scratch;
  /** Hosts, by name or address, that may be fetched from though they are not public. */
  readonly allowHosts: readonly string[];
  readonly lookup?: Lookup;
  /** For a whole film. */
  readonly timeoutMs: number;
}

/** A larger film is not copied, in bytes. */
const maxFilmBytes = 2 ** 30;
/** What is held in memory of a film before its provider is no longer read. */
const maxHeldBytes = 512 << 10;
/** A film that is no larger than this stays in memory. */
const memoryBytes = 256 << 10;
const maxRedirects = 3;

/**
 * Copies a film to a scratch file as it comes. Rejects with an `UpstreamFault` or an `AnswerFault` if it cannot be had, or is
 * not whole, and with a 507 if the disk is full.
 */
export async function copyFilm(way: ProviderWay, source: FilmSource, tools: CopyTools): Promise<CopiedFilm> {
  const sink = new FilmSink(tools.scratch);
  try {
    await copyTo(sink, way, source, tools);
    const file = await sink.finish();
    const { contentType, size } = file;
    if (!contentType.startsWith("video/")) throw new AnswerFault("The provider's film is no film.");
    const facts = contentType === "video/webm" ? null : await readMp4((start, end) => partOf(file, start, end), size);
    if (facts?.isWhole === false) throw new AnswerFault("The provider's film is cut off.");
    const { seconds = null, size: pixels = null } = facts ?? {};
    return { content: file, contentType, seconds, pixels, dispose: () => sink.dispose() };
  } catch (error) {
    await sink.dispose();
    throw error;
  }
}

async function copyTo(sink: FilmSink, way: ProviderWay, source: FilmSource, tools: CopyTools): Promise<void> {
  if (source.kind === "base64") {
    // In pieces that are whole groups of four characters.
    for (let at = 0; at < source.data.length; at += 1 << 18) {
      sink.write(Buffer.from(source.data.slice(at, at + (1 << 18)), "base64"));
      await sink.room();
    }
    return;
  }
  const url = source.kind === "url" ? source.url : await copyOwn(sink, way, source.request);
  if (url !== null) await copyFrom(sink, new URL(url, way.channel.provider.baseUrl), way, tools);
}

/** Copies from the provider's own address. Returns where it redirects to; null if the film is copied. */
function copyOwn(sink: FilmSink, way: ProviderWay, request: UpstreamRequest): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const call = beginCall(way, request, {
    onHead() {
      const location = call.headers.get("location");
      if (call.status >= 300 && call.status <= 399 && location !== null) {
        call.cancel();
        resolve(new URL(location, way.channel.provider.baseUrl).href);
      } else if (call.status < 200 || call.status > 299) {
        call.cancel();
        const message = `The provider answered with HTTP ${call.status} in place of a film.`;
        reject(new UpstreamFault("status", message, { status: call.status }));
      }
    },
    onBytes(bytes) {
      call.answerBegun();
      try {
        sink.write(bytes);
      } catch (error) {
        call.cancel();
        reject(error);
        return;
      }
      if (sink.hasRoom) return;
      call.pause();
      sink.room().then(
        () => call.resume(),
        (error: unknown) => {
          call.cancel();
          reject(error);
        },
      );
    },
    onEnd: () => resolve(null),
    onFault: reject,
  });
  return promise;
}

/** Copies from anywhere, through the guard, which checks each redirect too. No credential is sent. */
async function copyFrom(
  sink: FilmSink,
  first: URL,
  { channel }: ProviderWay,
  { allowHosts, lookup = lookUpHost, timeoutMs }: CopyTools,
): Promise<void> {
  // By its origin, since a provider must not lead to another port of the same host.
  const allowOrigin = new URL(channel.provider.baseUrl).origin;
  const policy = { allowHosts: new Set(allowHosts), allowOrigin, lookup };
  const signal = AbortSignal.timeout(timeoutMs);
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const { connectTo, host, serverName } = await pinUrl(url, policy);
    const response = await fetch(connectTo, {
      headers: { host, accept: "video/*", "accept-encoding": "identity", "user-agent": "tollgate" },
      redirect: "manual",
      keepalive: false,
      decompress: false,
      signal,
      ...(serverName === null ? {} : { tls: { serverName } }),
    });
    const location = response.status >= 300 && response.status <= 399 ? response.headers.get("location") : null;
    if (location === null) {
      if (!response.ok) {
        await response.body?.cancel();
        const message = `The film's address answered with HTTP ${response.status}.`;
        throw new UpstreamFault("status", message, { status: response.status });
      }
      for await (const piece of response.body ?? []) {
        sink.write(piece);
        await sink.room();
      }
      const announced = response.headers.get("content-length");
      if (announced !== null && Number(announced) !== sink.size) {
        throw new UpstreamFault("cut", "The film's address broke off.");
      }
      return;
    }
    await response.body?.cancel();
    const next = new URL(location, url);
    if (url.protocol === "https:" && next.protocol === "http:") {
      throw new AnswerFault("The film's address redirects from https:// to http://.");
    }
    url = next;
  }
  throw new AnswerFault(`The film's address redirects more than ${maxRedirects} times.`);
}

/** Takes the bytes of a film, and says when it has enough for the moment. */
class FilmSink {
  readonly #writer: FileWriter;
  #held = 0;
  #failure: unknown = null;
  #waiting: PromiseWithResolvers<void> | null = null;

  constructor(scratch: Scratch) {
    this.#writer = new FileWriter({
      scratch,
      onHeld: (change) => {
        this.#held += change;
        if (this.hasRoom) this.#wake();
        return this.#writer.size > memoryBytes;
      },
      onFailure: (error) => {
        this.#failure = error;
        this.#wake();
      },
    });
  }

  get size(): number {
    return this.#writer.size;
  }

  get hasRoom(): boolean {
    return this.#held < maxHeldBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.#writer.size + bytes.length > maxFilmBytes) {
      throw new AnswerFault(`The provider's film is larger than ${maxFilmBytes} bytes.`);
    }
    this.#writer.write(bytes);
  }

  /** Resolves when there is room. Rejects if the disk takes nothing. */
  async room(): Promise<void> {
    while (!this.hasRoom && this.#failure === null) {
      this.#waiting ??= Promise.withResolvers<void>();
      await this.#waiting.promise;
    }
    if (this.#failure !== null) throw this.#failure;
  }

  async finish(): Promise<FormFile> {
    const file = await this.#writer.finish("film");
    if (this.#failure !== null) throw this.#failure;
    return file;
  }

  dispose(): Promise<void> {
    return this.#writer.dispose();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}

async function partOf({ scratchFile, stream }: Content, start: number, end: number): Promise<Uint8Array> {
  const pieces = await Array.fromAsync(scratchFile === null ? stream() : scratchFile.read(start, end));
  const bytes = Buffer.concat(pieces);
  return scratchFile === null ? bytes.subarray(start, end) : bytes;
}
