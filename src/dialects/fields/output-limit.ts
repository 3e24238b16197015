import type { ConversationRequest } from "../../conversation/request.ts";
import { callerPath } from "../../conversation/fields/used-fields.ts";
import { parseExactly } from "../../json/exact-numbers.ts";
import { mapMembers } from "../../json/top-level.ts";
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

/**
 * A body as it may go up to a model that writes at most `own` tokens (null: not known): each field above the model's
 * limit, or above the limit that the gateway goes by, is lowered to it. Null if the text may stay as it is.
 * @param asked the limit that the gateway has read from the body
 */
export function lowerLimits(
  { text, body, asked }: { readonly text: string; readonly body: JsonObject; readonly asked: number | undefined },
  fields: OutputLimitFields,
  own: number | null,
): LoweredText | null {
  if (asked === undefined) return null;
  const limit = Math.min(asked, own ?? asked);
  // A provider may read another one of two fields than the gateway does.
  if (limit === asked && !isDuplicate(body, fields)) return null;
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

function isDuplicate(body: JsonObject, { within, names }: OutputLimitFields): boolean {
  let times = 0;
  for (const holder of within === undefined ? [body] : within.map((name) => body[name])) {
    if (!isObject(holder)) continue;
    for (const name of names) if (holder[name] !== undefined) times++;
  }
  return times > 1;
}

/** A conversation as it may go up to a model that writes at most `own` tokens, with the paths of the fields that changed. */
export function withinLimit(
  request: ConversationRequest,
  own: number | null,
): { readonly request: ConversationRequest; readonly lowered: readonly string[] } {
  const { maxOutputTokens } = request;
  if (maxOutputTokens === undefined || own === null || maxOutputTokens <= own) return { request, lowered: [] };
  return { request: { ...request, maxOutputTokens: own }, lowered: [callerPath(request, "maxOutputTokens")] };
}
