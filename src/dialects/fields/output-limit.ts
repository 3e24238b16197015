import type { ConversationRequest } from "../../conversation/request.ts";
import { callerPath } from "../../conversation/fields/used-fields.ts";
import { parseExactly } from "../../json/exact-numbers.ts";
import { mapMembers, scanTopLevel, withMembers } from "../../json/top-level.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** The field in which callers of a dialect write the maximum tokens of an answer. */
export interface OutputLimitFields {
  /** Top-level members that may hold `names`; absent: the names are top-level members themselves. */
  readonly within?: readonly string[];
  readonly names: readonly string[];
}

/** A body whose limit has been lowered. */
export interface LoweredText {
  readonly text: string;
  /** The paths of the fields that changed. */
  readonly lowered: readonly string[];
}

/** What a model writes at most. */
export interface OwnLimit {
  /** Null: not known. */
  readonly maxOutputTokens: number | null;
  /** The limit is said also if the caller asks for none. */
  readonly imposesOutputLimit?: true | undefined;
}

/**
 * A body as it may go up to a model: each field above the model's limit, or above the limit that the gateway goes by, is
 * lowered to it. Null if the text may stay as it is.
 * @param asked the limit that the gateway has read from the body
 */
export function lowerLimits(
  { text, body, asked }: { readonly text: string; readonly body: JsonObject; readonly asked: number | undefined },
  fields: OutputLimitFields,
  { maxOutputTokens: own, imposesOutputLimit }: OwnLimit,
): LoweredText | null {
  if (asked === undefined) return imposesOutputLimit && own !== null ? withLimit(text, body, fields, own) : null;
  const limit = Math.min(asked, own ?? asked);
  // A provider may read another one of two fields than the gateway does.
  return limit === asked && !isDuplicate(body, fields) ? null : lowerTo(limit, text, fields);
}

function lowerTo(limit: number, text: string, fields: OutputLimitFields): LoweredText | null {
  const lowered = new Set<string>();
  const lower = (path: string, value: string): string => {
    if (!(Number(parseExactly(value)) > limit)) return value;
    lowered.add(path);
    return String(limit);
  };
  const { within } = fields;
  const names = new Set(fields.names);
  const changed =
    within === undefined
      ? mapMembers(text, names, lower)
      : mapMembers(text, new Set(within), (outer, inner) =>
          mapMembers(inner, names, (name, value) => lower(`${outer}.${name}`, value)),
        );
  return lowered.size === 0 ? null : { text: changed, lowered: [...lowered] };
}

/** A body that says no limit, with one. */
function withLimit(text: string, body: JsonObject, { within, names }: OutputLimitFields, limit: number): LoweredText {
  const [name = ""] = names;
  const value = String(limit);
  if (within === undefined) return { text: withMember(text, name, value), lowered: [name] };
  const [usual = ""] = within;
  const holder = within.find((each) => isObject(body[each])) ?? usual;
  const isThere = isObject(body[holder]);
  const changed = isThere
    ? mapMembers(text, new Set([holder]), (_key, inner) => withMember(inner, name, value))
    : withMember(text, holder, `{${JSON.stringify(name)}:${value}}`);
  return { text: changed, lowered: [`${holder}.${name}`] };
}

/** Sets a member of a JSON object, also one that is null. */
function withMember(text: string, name: string, value: string): string {
  return withMembers(text, scanTopLevel(text, new Set([name])).members, { [name]: value });
}

function isDuplicate(body: JsonObject, { within, names }: OutputLimitFields): boolean {
  let times = 0;
  for (const holder of within === undefined ? [body] : within.map((name) => body[name])) {
    if (!isObject(holder)) continue;
    for (const name of names) if (holder[name] !== undefined) times++;
  }
  return times > 1;
}

/** A conversation as it may go up to a model, with the paths of the fields that changed. */
export function withinLimit(
  request: ConversationRequest,
  { maxOutputTokens: own, imposesOutputLimit }: OwnLimit,
): { readonly request: ConversationRequest; readonly lowered: readonly string[] } {
  const asked = request.maxOutputTokens ?? (imposesOutputLimit ? Infinity : 0);
  if (own === null || asked <= own) return { request, lowered: [] };
  return { request: { ...request, maxOutputTokens: own }, lowered: [callerPath(request, "maxOutputTokens")] };
}
