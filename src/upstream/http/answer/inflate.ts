import type { Transform } from "node:stream";
import type { ExchangeListener } from "../exchange.ts";
import { zlib } from "./zlib.ts";
import { ZstdFrames } from "./zstd-frames.ts";

/** Output is made in steps of this size, and no step before the last one has been reported. */
const stepBytes = 65_536;

/** The exchange whose body is decompressed. */
export interface InflatedExchange {
  readonly listener: ExchangeListener;
  readonly maxInflatedBytes: number;
  readonly ended: boolean;
  readonly paused: boolean;
  congested: boolean;
  readonly carrier: { resume(): void } | null;
  end(): { abandon(): void } | null;
}

/** Decompresses a body as it arrives and passes its content to the exchange's listener. */
export class Inflater {
  readonly #exchange: InflatedExchange;
  readonly #coding: string;
  #stream: Transform | null = null;
  #ending = false;
  #inflated = 0;
  readonly #frames: ZstdFrames | null;

  constructor(exchange: InflatedExchange, coding: string) {
    this.#exchange = exchange;
    this.#coding = coding;
    this.#frames = coding === "zstd" ? new ZstdFrames() : null;
  }

  /** Returns false if no more may be given before the exchange's carrier is resumed. */
  write(bytes: Uint8Array): boolean {
    this.#stream ??= this.#open(bytes);
    this.#frames?.give(bytes);
    const free = this.#stream.write(bytes);
    if (!free) this.#exchange.congested = true;
    return free;
  }

  /** The body is complete. */
  end(): void {
    this.#ending = true;
    // A body of no bytes is taken as it is, though no coding has such a form.
    if (this.#stream === null) this.#finish();
    else this.#stream.end();
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** No further events. */
  stop(): void {
    this.#stream?.destroy();
  }

  #open(first: Uint8Array): Transform {
    const stream = openDecompressor(this.#coding, first);
    const exchange = this.#exchange;
    stream.on("data", (bytes: Uint8Array) => {
      if (exchange.ended) return;
      this.#inflated += bytes.length;
      if (this.#inflated > exchange.maxInflatedBytes) {
        this.#fail(`it is larger than ${exchange.maxInflatedBytes} bytes once it is decompressed`);
        return;
      }
      exchange.listener.onBytes(bytes);
    });
    stream.on("drain", () => {
      exchange.congested = false;
      if (!exchange.ended) exchange.carrier?.resume();
    });
    stream.on("end", () => this.#finish());
    stream.on("error", () => this.#fail("it cannot be decompressed"));
    if (exchange.paused) stream.pause();
    return stream;
  }

  #finish(): void {
    const exchange = this.#exchange;
    if (exchange.ended) return;
    if (this.#frames?.complete === false) {
      this.#fail("its compressed body breaks off");
      return;
    }
    if (!this.#ending) {
      this.#fail("something follows its compressed body");
      return;
    }
    exchange.end();
    exchange.listener.onEnd();
  }

  #fail(fault: string): void {
    const exchange = this.#exchange;
    if (exchange.ended) return;
    exchange.end()?.abandon();
    exchange.listener.onFailure({
      kind: "invalid",
      message: `The provider's answer is malformed: ${fault}.`,
      code: null,
    });
  }
}

/** Returns null if the coding is not known. */
export function createInflater(exchange: InflatedExchange, coding: string): Inflater | null {
  return isCoding(coding) ? new Inflater(exchange, coding) : null;
}

const codings: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd"]);

/** Whether a coding can be taken off: see `openDecompressor`. */
export function isCoding(coding: string): boolean {
  return codings.has(coding);
}

/** Decompresses in steps of 64 KiB, off the main thread. `first` is the beginning of what will be written. */
export function openDecompressor(coding: string, first: Uint8Array): Transform {
  const options = { chunkSize: stepBytes };
  switch (coding) {
    case "br":
      return zlib().createBrotliDecompress(options);
    case "zstd":
      return zlib().createZstdDecompress(options);
    case "deflate":
      // Some servers leave out zlib's wrapper, whose first byte always has these low bits.
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib().createInflate(options) : zlib().createInflateRaw(options);
    default:
      return zlib().createGunzip(options);
  }
}
