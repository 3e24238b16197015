/** Measures how long sound lasts while its bytes pass. It keeps none of them but headers. */
export interface SoundMeter {
  push(piece: Uint8Array): void;
  /** Seconds of all that has passed; null if its bytes do not tell. */
  seconds(): number | null;
}
