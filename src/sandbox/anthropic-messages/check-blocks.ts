import { sizeOf } from "../openai-chat/read-attachments.ts";
import { listOrEmpty, objectOrEmpty } from "../json.ts";
import { anything, byType, type Check, each, fields, flag, object, oneOf, optional, text } from "./check-value.ts";
import { invalidRequest } from "./errors.ts";
import { isSigned } from "./signatures.ts";

export const checkCacheControl = optional(fields({ type: oneOf("ephemeral"), ttl: optional(oneOf("5m", "1h")) }));

/** A text block must not be blank. */
export const checkText: Check = (value, path) => {
  const written = text(value, path);
  if (written === "") throw invalidRequest("messages", "text content blocks must be non-empty");
  if (written.trim() === "") throw invalidRequest("messages", "text content blocks must contain non-whitespace text");
};

const base64: Check = (value, path) => {
  try {
    sizeOf(text(value, path), path);
  } catch {
    throw invalidRequest(path, "invalid base64 data");
  }
};

const webAddress: Check = (value, path) => {
  if (!/^https:\/\/\S+$/.test(text(value, path))) {
    throw invalidRequest(path, "Only HTTPS URLs are supported.");
  }
};

const type = anything;
const urlSource = fields({ type, url: webAddress });
const fileSource = fields({ type, file_id: text });

const checkImage = fields({
  type,
  cache_control: checkCacheControl,
  source: byType({
    base64: fields({
      type,
      media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
      data: base64,
    }),
    url: urlSource,
    file: fileSource,
  }),
});

const checkDocument = fields({
  type,
  cache_control: checkCacheControl,
  citations: optional(fields({ enabled: flag })),
  context: optional(text),
  title: optional(text),
  source: byType({
    base64: fields({ type, media_type: oneOf("application/pdf"), data: base64 }),
    text: fields({ type, media_type: oneOf("text/plain"), data: text }),
    content: fields({ type, content: anything }),
    url: urlSource,
    file: fileSource,
  }),
});

const checkTextBlock = fields({
  type,
  text: checkText,
  cache_control: checkCacheControl,
  citations: optional(each(object)),
});

const toolId: Check = (value, path) => {
  if (/^[a-zA-Z0-9_-]+$/.test(text(value, path))) return;
  throw invalidRequest(path, "String should match pattern '^[a-zA-Z0-9_-]+$'");
};

const checkResultContent: Check = (value, path) => {
  if (typeof value === "string") return;
  each(byType({ text: checkTextBlock, image: checkImage, document: checkDocument, search_result: object }))(
    value,
    path,
  );
};

const checkThinking: Check = (value, path) => {
  fields({ type, thinking: text, signature: text })(value, path);
  const { thinking, signature } = objectOrEmpty(value);
  if (!isSigned(String(thinking), signature)) throw invalidRequest(path, "Invalid `signature` in `thinking` block");
};

const checkRedacted: Check = (value, path) => {
  fields({ type, data: text })(value, path);
  if (!isSigned("", objectOrEmpty(value)["data"])) {
    throw invalidRequest(path, "Invalid `data` in `redacted_thinking` block");
  }
};

const userBlocks = {
  text: checkTextBlock,
  image: checkImage,
  document: checkDocument,
  search_result: object,
  tool_result: fields({
    type,
    tool_use_id: toolId,
    content: optional(checkResultContent),
    is_error: optional(flag),
    cache_control: checkCacheControl,
  }),
};

const assistantBlocks = {
  text: checkTextBlock,
  thinking: checkThinking,
  redacted_thinking: checkRedacted,
  tool_use: fields({ type, id: toolId, name: text, input: object, cache_control: checkCacheControl, caller: anything }),
};

/** Checks the blocks of one message, which may also be a plain text. */
export function checkContent(content: unknown, role: string, version: string, path: string): void {
  if (typeof content === "string") return;
  const older = version !== "2026-10-21";
  const kinds =
    role === "assistant" ? { ...assistantBlocks, ...(older ? { document: checkDocument } : {}) } : userBlocks;
  each(byType(role === "system" ? { text: checkTextBlock } : kinds))(content, path);
  if (older || role !== "user") return;
  listOrEmpty(content).forEach((block, index) => {
    if (listOrEmpty(objectOrEmpty(block)["citations"]).length > 0) {
      throw invalidRequest(`${path}.${index}.citations`, "Citations are not permitted in user text blocks");
    }
  });
}

/** `system`: a text, which may be empty, or blocks of text, which may not. */
export const checkSystem: Check = (value, path) => {
  if (typeof value !== "string") each(byType({ text: checkTextBlock }))(value, path);
};
