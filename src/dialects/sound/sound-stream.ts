import type { ReportedUsage } from "../../conversation/usage.ts";
import { ownBytes } from "../../http/own-bytes.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../exchange.ts";
import { joined } from "../exchanges/event-reader.ts";
import { createSoundMeter } from "./create-meter.ts";
import type { SoundMeter } from "./duration/sound-meter.ts";
import { sniffedBytes, sniffSound, type SoundName, soundTypes } from "./sound-type.ts";

/**
 * Sound that is passed on as it comes. Its first bytes tell what it is, whatever the provider calls it: text is a fault.
 * Sound cannot report that it was cut off, so a fault breaks the connection.
 */
export class SoundStream implements AnswerStream, Observation {
  readonly #assumed: SoundName;
  /** The beginning, as long as it does not tell what it is. */
  #head: Uint8Array[] = [];
  #name: SoundName | null = null;
  #meter: SoundMeter | null = null;
  readonly keepAlive = null;
  readonly finished = false;
  readonly responseId = null;
  readonly observation: Observation = this;
  usage: ReportedUsage | null = null;
  fault: AnswerFault | null = null;

  /** @param assumed what it is if the bytes do not tell, as those of raw samples do not */
  constructor(assumed: SoundName) {
    this.#assumed = assumed;
  }

  get started(): boolean {
    return this.#name !== null;
  }

  get contentType(): string {
    return soundTypes[this.#name ?? this.#assumed].contentType;
  }

  get headers(): Readonly<Record<string, string>> {
    const { extension } = soundTypes[this.#name ?? this.#assumed];
    return {
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="speech.${extension}"`,
    };
  }

  get soundSeconds(): number | null {
    return this.#meter?.seconds() ?? null;
  }

  producedText(): string {
    return "";
  }

  push(piece: Uint8Array): Uint8Array | null {
    if (this.#meter !== null) {
      this.#meter.push(piece);
      return piece;
    }
    if (this.fault !== null || piece.length === 0) return null;
    const bytes = this.#withHead(piece);
    const found = sniffSound(bytes.subarray(0, sniffedBytes), this.#assumed);
    if (found !== null && found !== "text") return this.#begin(found, bytes);
    // A short text may be the beginning of raw samples.
    if (bytes.length >= sniffedBytes) return this.#decide(found, bytes);
    this.#head.push(ownBytes(piece));
    return null;
  }

  end(): Uint8Array | null {
    const bytes = joined(this.#head);
    if (bytes === null || this.fault !== null) return null;
    return this.#decide(sniffSound(bytes, this.#assumed), bytes);
  }

  terminator(): null {
    return null;
  }

  fail(): null {
    return null;
  }

  #withHead(piece: Uint8Array): Uint8Array {
    return this.#head.length === 0 ? piece : Buffer.concat([...this.#head, piece]);
  }

  #decide(found: "text" | SoundName | null, bytes: Uint8Array): Uint8Array | null {
    this.#head = [];
    if (found !== "text") return this.#begin(found ?? this.#assumed, bytes);
    this.fault = new AnswerFault("The provider answered with text in place of sound.");
    return null;
  }

  #begin(name: SoundName, bytes: Uint8Array): Uint8Array {
    this.#head = [];
    this.#name = name;
    this.#meter = createSoundMeter(name);
    this.#meter.push(bytes);
    return bytes;
  }
}
