import type { Cell } from "../../client.ts";
import type { WebUi } from "./server.ts";

/** A chat of the page, once the answer and all that the server makes of it by itself have come. */
export interface Chat {
  readonly title: string;
  readonly answer: Message;
}

interface Message {
  readonly content: string;
  readonly done?: boolean;
  readonly followUps?: readonly string[];
  readonly error?: unknown;
  /** Reasoning, calls of tools, their results and the text. */
  readonly output?: readonly { readonly type: string }[];
}

interface StoredChat {
  readonly title: string;
  readonly chat: { readonly history: { readonly messages: Readonly<Record<string, Message>> } };
}

/** How many requests the server makes by itself after the answer: a title, tags, what could be asked next. */
export const requestsOfItsOwn = 3;

/** Asks in a new chat, and waits as the page does. */
export async function chatInPage(cell: Cell, webUi: WebUi, prompt: string, tools: readonly string[]): Promise<Chat> {
  const answerId = crypto.randomUUID();
  const userMessage = {
    id: crypto.randomUUID(),
    parentId: null,
    childrenIds: [],
    role: "user",
    content: prompt,
    timestamp: Math.floor(Date.now() / 1_000),
    models: [cell.model],
  };
  const { chat_id: id } = await webUi.post<{ readonly chat_id: string }>("/api/chat/completions", {
    stream: true,
    model: cell.model,
    messages: [{ role: "user", content: prompt }],
    params: {},
    tool_ids: tools,
    tool_servers: [],
    features: { voice: false, image_generation: false, code_interpreter: false, web_search: false },
    variables: {},
    session_id: crypto.randomUUID(),
    parent_id: null,
    user_message: userMessage,
    message_ids: [{ model_id: cell.model, message_id: answerId }],
    background_tasks: { title_generation: true, tags_generation: true, follow_up_generation: true },
  });
  while (!cell.signal.aborted) {
    const { title, chat } = await webUi.get<StoredChat>(`/api/v1/chats/${id}`);
    const answer = chat.history.messages[answerId];
    if (answer?.error !== undefined) throw new Error(`the answer is ${JSON.stringify(answer.error)}`);
    if (answer?.done && answer.followUps && title !== "New Chat") return { title, answer };
    await Bun.sleep(100);
  }
  throw new Error("no answer in the chat");
}
