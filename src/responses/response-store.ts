/** A stored response with the input of its request. */
export interface StoredResponse {
  /** The id that the caller sees: `resp_...` */
  readonly id: string;
  readonly keyId: string;
  /** The response that it continues; null if it begins a conversation. */
  readonly previousId: string | null;
  /** The first response of its conversation, which may be itself. */
  readonly rootId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The id of the provider that answered. */
  readonly provider: string;
  /** Size of this response and all that it continues, in characters of JSON. */
  readonly conversationSize: number;
  /** The request's own `input` as JSON text, with references resolved. */
  readonly input: string;
  /** The response object as JSON text, as the caller sees it. */
  readonly response: string;
}

/**
 * Stores responses. Implemented by `src/storage`. A response is visible only to the key that created it. It expires with
 * its conversation: when no response with the same root was created at or after `aliveSince` (milliseconds since 1970).
 * Expired responses are not found, whether or not they have been deleted.
 */
export interface ResponseStore {
  /** Stores a response with the ids of its output items. If the key has one with this id, that one stays. */
  insert(response: StoredResponse, outputIds: readonly string[]): void | Promise<void>;
  find(keyId: string, id: string, aliveSince: number): Promise<StoredResponse | null>;
  /**
   * Finds a response and those that it continues, oldest first. If the conversation is larger than `maxSize`, only the
   * newest one; if one was deleted, only those after it.
   */
  findConversation(keyId: string, id: string, aliveSince: number, maxSize: number): Promise<StoredResponse[]>;
  /** Finds the responses whose outputs contain these items. */
  findByOutput(keyId: string, itemIds: readonly string[], aliveSince: number): Promise<StoredResponse[]>;
  /** False if it does not exist. */
  delete(keyId: string, id: string, aliveSince: number): Promise<boolean>;
  /** Deletes up to `limit` expired responses. Returns the number deleted. */
  deleteExpired(aliveSince: number, limit: number): Promise<number>;
}
