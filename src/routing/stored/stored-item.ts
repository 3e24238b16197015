import type { JsonObject } from "../../json/values.ts";
import { type GatewayError, invalidRequest } from "../../errors.ts";
import type { SealedFields } from "./credentials.ts";

/** A thing that operators keep in the storage, in the format of the configuration. */
export interface StoredItem {
  readonly id: string;
  /** As the configuration writes them, without the id and what is sealed. */
  readonly fields: JsonObject;
  readonly sealed: SealedFields;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** A problem of a field of an item. */
export interface FieldProblem {
  /** Empty if the whole value is meant. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

export type FieldProblems = readonly [FieldProblem, ...FieldProblem[]];

/** The fields that are sealed. */
const secretNames: readonly string[] = ["api_key", "api_keys", "headers", "webhook_secret"];

/**
 * The fields to store once a change is made: those of `before` stay unless `given` has them, and null removes one, so that it
 * has its default.
 */
export function mergedFields(before: JsonObject | null, given: JsonObject): JsonObject {
  const open = Object.entries(given).filter(([name]) => name !== "id" && !secretNames.includes(name));
  const merged = Object.entries({ ...before, ...Object.fromEntries(open) });
  return Object.fromEntries(merged.filter(([, field]) => field !== null));
}

/** The names of the credentials that a change replaces, for the audit trail, which does not show them. */
export function replacedBy(changes: JsonObject): readonly string[] {
  return secretNames.filter((name) => (changes[name] ?? null) !== null);
}

/** An item as the audit trail has it: it says of credentials only whether there are any. */
export function stateOf({ fields, sealed }: StoredItem) {
  const has = {
    has_api_key: sealed.apiKeys !== null,
    has_headers: sealed.headers !== null,
    ...(sealed.webhookSecret && { has_webhook_secret: true }),
  };
  return { ...fields, ...has };
}

const maxShown = 5;

/** A 400 that names the field. @param what names the item: `search backend` */
export function wrongFields(what: string, problems: FieldProblems): GatewayError {
  const noun = what.split(" ").at(-1) ?? what;
  const shown = problems.slice(0, maxShown).map(({ path, found, allowed }) => {
    return `${path === "" ? `the ${noun}` : `'${path}'`}: found ${found}; allowed: ${allowed}.`;
  });
  const [{ path }] = problems;
  return invalidRequest("invalid_parameter", `Invalid ${what}. ${shown.join(" ")}`, path === "" ? null : path);
}

/** The first problem in a few words, for an item that is stored and not in force. */
export function problemText([{ path, found, allowed }]: FieldProblems): string {
  return `${path === "" ? "" : `${path}: `}found ${found}; allowed: ${allowed}`;
}
