import { referencedIds, resolveReferences } from "../dialects/openai-responses/request/references.ts";
import {
  continuedInput,
  inputItemsOf,
  responseOfInputItem,
} from "../dialects/openai-responses/request/stored-items.ts";
import { GatewayError, invalidRequest } from "../errors.ts";
import { isObject, listOrEmpty, type JsonObject } from "../json/values.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { isId, whileAvailable } from "./store-access.ts";

/** The parts of a request that may refer to stored responses. */
export interface Asked {
  /** Its `previous_response_id`. */
  readonly previousId: string | null;
  /** Its `input`, unchanged. */
  readonly input: unknown;
}

/** The conversation so far, and the providers of its parts. */
export interface Recalled {
  /** The response that the request continues. */
  readonly previous: StoredResponse | null;
  /** The items of the conversation so far, oldest first. */
  readonly history: readonly JsonObject[];
  /** The request's own `input`, with references resolved. */
  readonly input: unknown;
  /** The provider of each item from the store. Other providers cannot decrypt its reasoning. */
  readonly makers: ReadonlyMap<unknown, string>;
}

interface Bounds {
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly aliveSince: number;
  readonly maxConversationSize: number;
}

/** Maximum number of references in one request. */
const maxReferences = 1_000;

/** Finds the responses that a request continues and refers to. Throws a 400 that names the field if one is missing. */
export async function recall(store: ResponseStore, bounds: Bounds, { previousId, input }: Asked): Promise<Recalled> {
  const makers = new Map<unknown, string>();
  const conversation = previousId === null ? [] : await findConversation(store, bounds, previousId);
  const history = conversation.flatMap((stored) => {
    const items = continuedInput(continuedInput([], JSON.parse(stored.input)).filter(isObject), outputOf(stored));
    for (const item of items) makers.set(item, stored.provider);
    return items.filter(isObject);
  });
  const ids = referencedIds(input);
  const resolved =
    ids.length === 0 ? input : await resolve(store, bounds, ids.filter(isId), listOrEmpty(input), makers);
  return { previous: conversation.at(-1) ?? null, history, input: resolved, makers };
}

async function findConversation(store: ResponseStore, bounds: Bounds, previousId: string): Promise<StoredResponse[]> {
  const { keyId, aliveSince, maxConversationSize } = bounds;
  if (!isId(previousId)) throw previousNotFound(previousId.slice(0, 256));
  const conversation = await whileAvailable(() =>
    store.findConversation(keyId, previousId, aliveSince, maxConversationSize),
  );
  const [first, last] = [conversation[0], conversation.at(-1)];
  if (!first || !last) throw previousNotFound(previousId);
  if (last.conversationSize > maxConversationSize) throw conversationTooLarge(maxConversationSize);
  // A conversation without its beginning is not continued.
  if (first.previousId !== null) throw previousNotFound(first.previousId);
  return conversation;
}

function previousNotFound(id: string): GatewayError {
  const message = `Previous response with id '${id}' not found.`;
  return invalidRequest("previous_response_not_found", message, "previous_response_id");
}

function conversationTooLarge(limit: number): GatewayError {
  const message = `The conversation that 'previous_response_id' continues is larger than ${limit} characters.`;
  return GatewayError.of("body_too_large", message, { param: "previous_response_id" });
}

/** Replaces the references in the input by items, and adds their providers to `makers`. */
async function resolve(
  store: ResponseStore,
  { keyId, aliveSince }: Bounds,
  ids: readonly string[],
  input: readonly unknown[],
  makers: Map<unknown, string>,
): Promise<readonly unknown[]> {
  if (ids.length > maxReferences) {
    throw invalidRequest("invalid_parameter", `A request can refer to at most ${maxReferences} items.`, "input");
  }
  const found = new Map<string, JsonObject>();
  const take = (items: readonly unknown[], { provider }: StoredResponse) => {
    for (const item of items) {
      if (!isObject(item) || typeof item.id !== "string" || found.has(item.id)) continue;
      found.set(item.id, item);
      makers.set(item, provider);
    }
  };
  const responses = await whileAvailable(() => store.findByOutput(keyId, ids, aliveSince));
  for (const response of responses) take(outputOf(response), response);

  const inputs = new Set(ids.filter((id) => !found.has(id)).flatMap((id) => responseOfInputItem(id) ?? []));
  for (const id of inputs) {
    const response = await whileAvailable(() => store.find(keyId, id, aliveSince));
    if (response) take(inputItemsOf(JSON.parse(response.input), response.id), response);
  }
  return resolveReferences(input, (id) => found.get(id));
}

/** The output items of a response. */
export function outputOf(stored: StoredResponse): readonly unknown[] {
  const response: unknown = JSON.parse(stored.response);
  return isObject(response) ? listOrEmpty(response.output) : [];
}
