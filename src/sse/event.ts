/** One Server-Sent Event as it stood on the wire. */
export interface SseEvent {
  /** Its bytes, the blank line that ends it included: forwarding them changes nothing. */
  readonly bytes: Uint8Array;
}
