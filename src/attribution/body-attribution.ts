import { isObject, type JsonObject } from "../json/values.ts";
import { type Attribution, entriesToText, type Tags, textToTags } from "./attribution.ts";
import { boundedText } from "./bounded-text.ts";
import { checkFixed } from "./header-attribution.ts";
import { isTagName, isTagValue, maxTags, maxTagsText } from "./tag-grammar.ts";

/** What the body of a request says of for whom it is. */
export interface BodyAttribution {
  readonly endUser: string | null;
  readonly session: string | null;
  /** Labels that become tags, and the field that holds them; null if there are none. */
  readonly labels: { readonly field: string; readonly values: JsonObject } | null;
}

/**
 * Adds what the body says. Headers come before it.
 * @param fixed the tags of the key
 * @throws 400 naming the label that sets a fixed tag to another value
 */
export function withBody(known: Attribution, body: BodyAttribution, fixed: Tags): Attribution {
  return {
    tags: body.labels === null ? known.tags : withLabels(known.tags, body.labels, fixed),
    endUser: known.endUser ?? body.endUser,
    session: known.session ?? body.session,
  };
}

/** Labels that are looked at; Google allows as many. */
const maxLabels = 64;

/** Labels have a grammar of their provider's: those that are no tags, or no longer fit, are left out. */
function withLabels(
  known: string | null,
  { field, values }: NonNullable<BodyAttribution["labels"]>,
  fixed: Tags,
): string | null {
  const tags = new Map(Object.entries(textToTags(known)));
  let text = known;
  for (const name of Object.keys(values).slice(0, maxLabels).sort()) {
    const value = values[name];
    if (typeof value !== "string" || !isTagName(name) || !isTagValue(value)) continue;
    checkFixed(fixed, name, value, `${field}.${name}`);
    if (tags.has(name) || tags.size === maxTags) continue;
    tags.set(name, value);
    const longer = entriesToText([...tags]);
    if (longer !== null && longer.length <= maxTagsText) text = longer;
    else tags.delete(name);
  }
  return text;
}

/** Whether a field says anything. */
export function isSaid(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The first of some values that is a text, bounded. */
export function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = boundedText(value);
    if (text !== null) return text;
  }
  return null;
}

/** `user_<hash>_account_<account, if logged in>_session_<session>`, as Claude Code wrote it. */
const writtenUser = /^(user_[^_]+)_account_([^_]*)_session_(.+)$/;

/**
 * The end user and the session of a user id. Claude Code puts both into one: as JSON with `device_id`, `account_uuid` and
 * `session_id`, or as a text of the form above. Its user is the account if there is one, else the device.
 */
export function splitUserId(value: unknown): Pick<BodyAttribution, "endUser" | "session"> {
  if (typeof value !== "string") return nothing;
  if (value.startsWith("user_")) {
    const [, user, account, session] = writtenUser.exec(value) ?? [];
    if (session !== undefined) return { endUser: firstText(account, user), session: firstText(session) };
  }
  const fields = value.startsWith("{") && value.length <= maxJson ? parsed(value) : null;
  if (fields !== null && typeof fields.session_id === "string") {
    return { endUser: firstText(fields.account_uuid, fields.device_id), session: firstText(fields.session_id) };
  }
  return { endUser: boundedText(value), session: null };
}

const nothing = { endUser: null, session: null };

/** Claude Code's has about 200 characters. */
const maxJson = 2_048;

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
