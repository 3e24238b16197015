import type { Dialect } from "./dialect.ts";
import { openaiChat } from "./openai-chat/dialect.ts";

/** Every dialect that the sandbox speaks. The first also answers paths that belong to none. */
export const dialects: readonly [Dialect, ...Dialect[]] = [openaiChat];
