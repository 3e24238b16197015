import { createHash } from "node:crypto";
import type { Part } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/**
 * A namespace groups functions of the caller's own (`{"type":"namespace","name":"crm","tools":[...]}`), and a call names
 * both. Other dialects have one name for a function: on the way to a provider both become one, and on the way back two.
 */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The function names that every vendor accepts. */
const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** One name for both: the same each time, so that a call in the history has the name of its tool. */
export function flatName({ namespace, name }: NamespacedName): string {
  const joined = namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  if (allowed.test(joined)) return joined;
  const hash = createHash("sha256").update(`${namespace}\n${name}`).digest("hex").slice(0, 8);
  return `${joined.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 55)}_${hash}`;
}

/** The name of a call, a result or a choice as providers know it. */
export function flatNameOf(item: JsonObject, name: string): string {
  const namespace = stringOrNull(item.namespace) ?? "";
  return namespace === "" ? name : flatName({ namespace, name });
}

/** Puts the names back that a request's namespaced tools have; tools without a namespace keep theirs. */
export type NameRestorer = <P extends Part>(part: P) => P;

const keepName: NameRestorer = (part) => part;

/** `tools` is that of the caller's body. */
export function openNameRestorer(tools: unknown): NameRestorer {
  const names = new Map<string, NamespacedName>();
  for (const group of listOrEmpty(tools)) {
    if (!isObject(group) || group.type !== "namespace" || typeof group.name !== "string") continue;
    for (const tool of listOrEmpty(group.tools)) {
      if (!isObject(tool) || typeof tool.name !== "string") continue;
      const whole = { namespace: group.name, name: tool.name };
      names.set(flatName(whole), whole);
    }
  }
  if (names.size === 0) return keepName;
  return (part) => {
    const whole = part.type === "tool-call" ? names.get(part.name) : undefined;
    return whole === undefined ? part : { ...part, ...whole };
  };
}
