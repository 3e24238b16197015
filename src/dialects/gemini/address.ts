import type { ReadContext } from "../../operations/operation.ts";

/** `{model}:{action}`, whose model may hold slashes and colons and begin with `models/`. */
const addressPattern = /\/v1(?:beta)?\/models\/(?:models\/)?(.+):(\w+)$/;

interface Address {
  readonly model: string;
  readonly action: string;
  /** `alt=sse`: a stream of events; without it a stream is one JSON array. */
  readonly asEvents: boolean;
}

/** The model and the action that a URL names; null if it is no such URL. */
export function addressOf(url: string): Address | null {
  const { pathname, searchParams } = new URL(url);
  const match = addressPattern.exec(decoded(pathname));
  return match && { model: match[1] ?? "", action: match[2] ?? "", asEvents: searchParams.get("alt") === "sse" };
}

/** The path unescaped; one that is badly escaped is taken as it is written. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** The part of a request that is in its URL rather than its body. */
export function addressIn({ url }: ReadContext) {
  const address = addressOf(url);
  return { model: address?.model ?? "", stream: address?.action === "streamGenerateContent" };
}
