/** One answer that can be asked for again, with what its caller put in for it. */
export interface StoredResponse {
  /** As the caller saw it: `resp_...` */
  readonly id: string;
  readonly keyId: string;
  /** The response that it continues; null where it begins a conversation. */
  readonly previousId: string | null;
  /** The first response of its conversation, which may be itself. */
  readonly rootId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The id of the provider that gave the answer. */
  readonly provider: string;
  /** Characters of JSON, of this response and all that it continues: always more than the previous one's. */
  readonly conversationSize: number;
  /** The request's own `input` as JSON text, with references replaced by what they refer to. */
  readonly input: string;
  /** The whole response object as JSON text, as the caller saw it. */
  readonly response: string;
}

/**
 * Where responses are kept. Implemented by the storage room. A response is another key's secret, and it is gone when
 * its conversation is: when no response with the same root was created at `aliveSince` (milliseconds since 1970) or
 * later. What is gone is not found, whether it has been removed yet or not.
 */
export interface ResponseStore {
  /** Keeps it with the ids of its output's items. One with the same id gives way: the newest stands. */
  insert(response: StoredResponse, outputIds: readonly string[]): void | Promise<void>;
  find(keyId: string, id: string, aliveSince: number): Promise<StoredResponse | null>;
  /**
   * A response and those that it continues, oldest first. Where the newest one's conversation is larger than `maxSize`,
   * that one alone; where one was deleted, what comes after it.
   */
  findConversation(keyId: string, id: string, aliveSince: number, maxSize: number): Promise<StoredResponse[]>;
  /** The responses in whose outputs these items are. */
  findByOutput(keyId: string, itemIds: readonly string[], aliveSince: number): Promise<StoredResponse[]>;
  /** False where there is none. */
  delete(keyId: string, id: string, aliveSince: number): Promise<boolean>;
  /** Removes at most `most` responses that are gone, and says how many. */
  deleteGone(aliveSince: number, most: number): Promise<number>;
}
