import type { RequestHeaders } from "../http/headers.ts";
import type { Dialect, Dialects } from "../dialects/dialect.ts";
import { openaiErrorFormat } from "../dialects/openai-chat/errors.ts";
import type { ErrorFormat } from "../operations/operation.ts";

/** Paths that the clients of several vendors ask for, which are distinguished by a header. */
const sharedPaths = "/v1/models";

/**
 * The dialect of a caller at a path that is no operation's. Null if no dialect claims the path: the caller is answered as
 * OpenAI answers.
 */
export function callerDialect({ all }: Dialects, path: string, headers: RequestHeaders): Dialect | null {
  const owner = all.find(({ clients }) => clients?.paths.some((prefix) => path.startsWith(prefix)));
  if (owner || !path.startsWith(sharedPaths)) return owner ?? null;
  return all.find(({ clients }) => clients && headers.has(clients.header)) ?? null;
}

/** How errors are written at such a path. */
export function errorFormatAt(dialects: Dialects, path: string, headers: RequestHeaders): ErrorFormat {
  return callerDialect(dialects, path, headers)?.errorFormat ?? openaiErrorFormat;
}
