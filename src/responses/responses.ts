import type { Clock } from "../clock.ts";
import { inputItemsOf, storedItemsOf } from "../dialects/openai-responses/request/stored-items.ts";
import { notFound } from "../errors.ts";
import { isObject, listOrEmpty, type JsonObject } from "../json/values.ts";
import { outputOf, recall, type Asked, type Recalled } from "./recall.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { isId, storageUnavailable, whileAvailable } from "./store-access.ts";

/** A successful answer to be stored. */
export interface GoodAnswer {
  readonly keyId: string;
  /** The response object, as the caller sees it. */
  readonly response: JsonObject;
  readonly recalled: Recalled;
  /** The id of the provider that answered. */
  readonly provider: string;
}

/** The gateway's own store of responses. A response is visible only to the key that created it. */
export interface Responses {
  /** Finds the responses that a request continues and refers to. Throws a 400 that names the field if one is missing. */
  recall(keyId: string, asked: Asked): Promise<Recalled>;
  /** Throws a 503 if the storage is known to be unavailable, or could not store an answer a moment ago. */
  checkRoom(): void;
  /** Resolves when the answer is durable. */
  keep(answer: GoodAnswer): Promise<void>;
  /** The response object as JSON text. Throws a 404. */
  find(keyId: string, id: string): Promise<string>;
  /** The input items of the model, without the instructions, oldest first. Throws a 404. */
  inputItems(keyId: string, id: string): Promise<JsonObject[]>;
  /** Throws a 404. */
  delete(keyId: string, id: string): Promise<void>;
}

export interface ResponsesOptions {
  readonly store: ResponseStore;
  readonly clock: Clock;
  /** How long a conversation is kept after its last answer. */
  readonly retentionMs: number;
  /** Maximum size of a conversation that can be continued, in characters of JSON. */
  readonly maxConversationSize: number;
  /** Whether the storage is known to be unavailable. */
  readonly isStoreAway: () => boolean;
}

/** How long no provider is asked for an answer to be stored after one could not be, in milliseconds. */
const pauseMs = 1_000;

export function createResponses(options: ResponsesOptions): Responses {
  const { store, clock, retentionMs, maxConversationSize } = options;
  const aliveSince = () => clock.now() - retentionMs;
  let pausedUntil = 0;

  return {
    recall: (keyId, asked) => recall(store, { keyId, aliveSince: aliveSince(), maxConversationSize }, asked),
    checkRoom() {
      if (options.isStoreAway() || clock.now() < pausedUntil) throw storageUnavailable();
    },
    async keep(answer) {
      const stored = storedResponse(answer, clock.now());
      try {
        await store.insert(stored, outputIdsOf(answer.response));
        pausedUntil = 0;
      } catch (error) {
        pausedUntil = clock.now() + pauseMs;
        throw storageUnavailable(error);
      }
    },
    async find(keyId, id) {
      const found = isId(id) ? await whileAvailable(() => store.find(keyId, id, aliveSince())) : null;
      if (!found) throw responseNotFound(id);
      return found.response;
    },
    async inputItems(keyId, id) {
      const conversation = isId(id)
        ? await whileAvailable(() => store.findConversation(keyId, id, aliveSince(), maxConversationSize))
        : [];
      const last = conversation.pop();
      if (!last) throw responseNotFound(id);
      const before = conversation.flatMap((stored) =>
        storedItemsOf(JSON.parse(stored.input), outputOf(stored), stored.id),
      );
      return [...before, ...inputItemsOf(JSON.parse(last.input), last.id)];
    },
    async delete(keyId, id) {
      const deleted = isId(id) && (await whileAvailable(() => store.delete(keyId, id, aliveSince())));
      if (!deleted) throw responseNotFound(id);
    },
  };
}

function responseNotFound(id: string) {
  return notFound("response_not_found", `Response with id '${id.slice(0, 256)}' not found.`, "response_id");
}

function storedResponse({ keyId, response, recalled, provider }: GoodAnswer, now: number): StoredResponse {
  const id = String(response.id);
  const { previous } = recalled;
  const input = JSON.stringify(recalled.input ?? []);
  const text = JSON.stringify(response);
  return {
    id,
    keyId,
    previousId: previous?.id ?? null,
    rootId: previous?.rootId ?? id,
    createdAt: now,
    provider,
    conversationSize: (previous?.conversationSize ?? 0) + input.length + text.length,
    input,
    response: text,
  };
}

/** The ids of the output items, by which later requests may refer to them. */
function outputIdsOf(response: JsonObject): string[] {
  const ids = listOrEmpty(response.output).flatMap((item) =>
    isObject(item) && typeof item.id === "string" && isId(item.id) ? [item.id] : [],
  );
  return [...new Set(ids)];
}
