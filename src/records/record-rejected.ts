/** Thrown by a record store if the records themselves are at fault, and trying again later would not help. */
export class RecordRejected extends Error {
  override readonly name = "RecordRejected";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
