/** Why a storage could not be opened: a wrong address, one that does not answer, or one made by a newer program. */
export type StorageErrorCode = "invalid_url" | "unreachable" | "newer_schema" | "migration_failed";

/** The storage cannot be opened. The message, for operators, never shows a password. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The message of any thrown value, on one line. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") return thrown.errors.map(messageOf).join("; ");
  return thrown instanceof Error ? thrown.message : String(thrown);
}
