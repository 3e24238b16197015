import { GatewayError } from "../errors.ts";

/** The system's codes for a disk, or a share of one, that holds no more. */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL"]);

/** Whether an error says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return fullCodes.has(errorCode(error));
}

/** The code of a system error; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Runs work on the disk. Throws a 507 if the disk is full. */
export async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause;
    throw GatewayError.of("storage_full", "The gateway has no room to store this file at the moment.", { cause });
  }
}
