import { referencedIds, resolveReferences } from "../dialects/openai-responses/references.ts";
import { continuedInput, inputItemsOf, responseOfInputItem } from "../dialects/openai-responses/stored-items.ts";
import { GatewayError, invalidRequest } from "../errors.ts";
import { isObject, listOrEmpty, type JsonObject } from "../json/values.ts";
import { isId } from "./ids.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { whileAvailable } from "./while-available.ts";

/** What a request asks of the memory. */
export interface Asked {
  /** Its `previous_response_id`. */
  readonly previousId: string | null;
  /** Its `input`, as it came. */
  readonly input: unknown;
}

/** What was said before, and who said it. */
export interface Recalled {
  /** The response that the request continues. */
  readonly previous: StoredResponse | null;
  /** The items of the conversation so far, oldest first. */
  readonly history: readonly JsonObject[];
  /** The request's own `input`, with references replaced by what they refer to. */
  readonly input: unknown;
  /** For each item that came from the store, the provider of its response: another one cannot read its seals. */
  readonly makers: ReadonlyMap<unknown, string>;
}

interface Bounds {
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly aliveSince: number;
  readonly maxConversationSize: number;
}

/** More references than this in one request are refused. */
const maxReferences = 1_000;

/** Finds what a request continues and refers to. Throws a 400 that names the field which leads nowhere. */
export async function recall(store: ResponseStore, bounds: Bounds, { previousId, input }: Asked): Promise<Recalled> {
  const makers = new Map<unknown, string>();
  const turns = previousId === null ? [] : await findTurns(store, bounds, previousId);
  const history = turns.flatMap((turn) => {
    const items = continuedInput(continuedInput([], JSON.parse(turn.input)).filter(isObject), outputOf(turn));
    for (const item of items) makers.set(item, turn.provider);
    return items.filter(isObject);
  });
  const ids = referencedIds(input);
  const resolved =
    ids.length === 0 ? input : await resolve(store, bounds, ids.filter(isId), listOrEmpty(input), makers);
  return { previous: turns.at(-1) ?? null, history, input: resolved, makers };
}

async function findTurns(store: ResponseStore, bounds: Bounds, previousId: string): Promise<StoredResponse[]> {
  const { keyId, aliveSince, maxConversationSize } = bounds;
  if (!isId(previousId)) throw previousNotFound(previousId.slice(0, 256));
  const turns = await whileAvailable(() => store.findConversation(keyId, previousId, aliveSince, maxConversationSize));
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last) throw previousNotFound(previousId);
  if (last.conversationSize > maxConversationSize) throw conversationTooLarge(maxConversationSize);
  // Without its beginning a conversation would be another one.
  if (first.previousId !== null) throw previousNotFound(first.previousId);
  return turns;
}

function previousNotFound(id: string): GatewayError {
  const message = `Previous response with id '${id}' not found.`;
  return invalidRequest("previous_response_not_found", message, "previous_response_id");
}

function conversationTooLarge(limit: number): GatewayError {
  const message = `The conversation that 'previous_response_id' continues is larger than ${limit} characters.`;
  return new GatewayError("request_too_large", message, { code: "body_too_large", param: "previous_response_id" });
}

/** The input with items in place of references. Notes who made them. */
async function resolve(
  store: ResponseStore,
  { keyId, aliveSince }: Bounds,
  ids: readonly string[],
  input: readonly unknown[],
  makers: Map<unknown, string>,
): Promise<readonly unknown[]> {
  if (ids.length > maxReferences) {
    throw invalidRequest("invalid_parameter", `At most ${maxReferences} items can be referred to at once.`, "input");
  }
  const found = new Map<string, JsonObject>();
  const take = (items: readonly unknown[], { provider }: StoredResponse) => {
    for (const item of items) {
      if (!isObject(item) || typeof item.id !== "string" || found.has(item.id)) continue;
      found.set(item.id, item);
      makers.set(item, provider);
    }
  };
  const spoken = await whileAvailable(() => store.findByOutput(keyId, ids, aliveSince));
  for (const response of spoken) take(outputOf(response), response);

  const inputs = new Set(ids.filter((id) => !found.has(id)).flatMap((id) => responseOfInputItem(id) ?? []));
  for (const id of inputs) {
    const response = await whileAvailable(() => store.find(keyId, id, aliveSince));
    if (response) take(inputItemsOf(JSON.parse(response.input), response.id), response);
  }
  return resolveReferences(input, (id) => found.get(id));
}

/** The items that the model said. */
export function outputOf(turn: StoredResponse): readonly unknown[] {
  const response: unknown = JSON.parse(turn.response);
  return isObject(response) ? listOrEmpty(response.output) : [];
}
