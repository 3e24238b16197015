import { ApiError } from "./error.ts";

/** What an error says of a field; null if it is about something else. */
export function fieldError(error: unknown, ...names: readonly string[]): string | null {
  if (!(error instanceof ApiError) || error.param === null) return null;
  const { param } = error;
  return names.some((name) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`))
    ? error.message
    : null;
}
