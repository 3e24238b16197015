import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";

/** A cache breakpoint: requests with the same prefix up to it share the cache. */
export interface CachePoint {
  readonly key: string;
  readonly lifetime: "5m" | "1h";
}

/** Finds the first breakpoint of a request, in Anthropic's order: tools, system, messages. */
export function firstBreakpoint(body: JsonObject): CachePoint | null {
  const read: unknown[] = [body["model"]];
  for (const block of blocksInOrder(body)) {
    const { cache_control: control, ...said } = block;
    read.push(said);
    if (control !== undefined && control !== null) return pointAt(read, control);
  }
  // A top-level breakpoint covers the whole prompt.
  return objectOrEmpty(body["cache_control"])["type"] === undefined ? null : pointAt(read, body["cache_control"]);
}

function pointAt(read: readonly unknown[], control: unknown): CachePoint {
  const key = Bun.hash(JSON.stringify(read)).toString(16);
  return { key: `messages ${key}`, lifetime: objectOrEmpty(control)["ttl"] === "1h" ? "1h" : "5m" };
}

function blocksInOrder(body: JsonObject): JsonObject[] {
  const messages = listOrEmpty(body["messages"]).map((message) => objectOrEmpty(message)["content"]);
  const blocks = [...listOrEmpty(body["tools"]), ...[body["system"], ...messages].flatMap(contentOf)];
  return blocks.map(objectOrEmpty);
}

function contentOf(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOrEmpty(content);
}
