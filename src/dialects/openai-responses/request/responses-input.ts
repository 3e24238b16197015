import type { Part } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import { unsupportedParameter } from "../../../errors.ts";
import { mayNameFile } from "../../../files/file-id.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { type Member, scanTopLevel } from "../../../json/top-level.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import { answerContext } from "../../../operations/conversation.ts";
import { type LargestFile, withFiles, withValues } from "../../../operations/files/inline-files.ts";
import type { SearchScope } from "../../../operations/searching.ts";
import type { OperationInput, ReadContext } from "../../../operations/operation.ts";
import type { Recalled } from "../../../responses/recall.ts";
import type { Responses } from "../../../responses/responses.ts";
import type { AnswerContext, CallerCodec } from "../../codec.ts";
import { readModelName } from "../../fields/model-name.ts";
import { optionalBoolean, optionalString } from "../../fields/read-field.ts";
import { responsesCodec } from "../codec.ts";
import { refuseFilesOfTools, responsesFiles } from "./files.ts";

/** A request for a response, with what it continues and refers to. */
export interface ResponsesInput extends OperationInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  /** The positions in the text of values that may have to change. */
  readonly members: readonly Member[];
  readonly body: JsonObject;
  /** With the caller's files in place of their ids. */
  readonly recalled: Recalled;
  /** The same as it is kept: files by their ids. */
  readonly kept: Recalled;
  /** The largest of the caller's files in it; null if there are none. */
  readonly largestFile: LargestFile | null;
  /** The whole conversation, with what came before. */
  readonly conversation: ConversationRequest;
  readonly temperature: number | undefined;
  readonly context: AnswerContext;
  readonly caller: CallerCodec;
  /** Whether the answer is to be kept. */
  readonly store: boolean;
  readonly previousResponseId: string | null;
  readonly keyId: string;
  readonly identity: SearchScope;
  readonly responses: Responses;
}

/** Top-level members whose text may have to change on the way up. */
export const changeable: ReadonlySet<string> = new Set(["model", "store", "include", "input", "previous_response_id"]);

const { caller } = responsesCodec;

/**
 * Reads a body, and recalls the items that it refers to. Throws a 400 that names the field.
 * @param isKept whether the answer may be kept at all
 */
export async function readResponsesInput(
  text: string,
  context: ReadContext,
  { isKept = true }: { readonly isKept?: boolean } = {},
): Promise<ResponsesInput> {
  const written = readJsonObject(text, changeable);
  const { body: asked } = written;
  const model = readModelName(asked.model);
  refuseWhatNeedsTheVendor(asked);
  const store = (optionalBoolean(asked.store, "store") ?? true) && isKept;
  const previousResponseId = optionalString(asked.previous_response_id, "previous_response_id") ?? null;
  const { responses } = context;
  if (store) responses.checkRoom();

  const keyId = context.identity.key.id;
  const kept = await responses.recall(keyId, { previousId: previousResponseId, input: asked.input });
  const {
    body,
    members,
    recalled,
    largestFile = null,
    ...whole
  } = await withFilesOf({ ...written, text, recalled: kept }, context);
  const conversation = continued(body, recalled);
  return {
    model,
    stream: conversation.stream,
    text: whole.text,
    members,
    body,
    recalled,
    kept,
    largestFile,
    conversation,
    temperature: conversation.temperature,
    maxOutputTokens: conversation.maxOutputTokens,
    context: answerContext(body, model, { conversation }, context, store),
    caller,
    store,
    previousResponseId,
    keyId,
    identity: context.identity,
    responses,
  };
}

/** A body and what it continues. */
interface ReadBody {
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly recalled: Recalled;
  readonly largestFile?: LargestFile | null;
}

/** The same with the caller's files in place of their ids. Throws as `withFiles` does. */
async function withFilesOf(read: ReadBody, context: ReadContext): Promise<ReadBody> {
  const { text, body, recalled } = read;
  const isNamed = mayNameFile(text);
  if (isNamed) refuseFilesOfTools(body);
  const isResolved = recalled.input !== body.input;
  if (!isNamed && !isResolved && recalled.history.length === 0) return read;
  const places = [
    { path: "previous_response_id", value: recalled.history },
    { path: "input", value: recalled.input },
  ];
  const { values, largest } = await withFiles(places, responsesFiles, context);
  const [history, input] = values;
  const whole = { ...recalled, history: listOrEmpty(history).filter(isObject), input };
  // An input with references is written anew in any case.
  if (isResolved || input === recalled.input) return { ...read, recalled: whole, largestFile: largest };
  const changed = await withValues(read, { input });
  return { ...changed, members: scanTopLevel(changed.text, changeable).members, recalled: whole, largestFile: largest };
}

/** Fields that name objects kept at a vendor, which every key of the gateway would share. */
function refuseWhatNeedsTheVendor(body: JsonObject): void {
  if (optionalBoolean(body.background, "background") === true) {
    throw unsupportedParameter("background", "Responses in the background are not supported: leave 'background' out.");
  }
  if (body.conversation !== undefined && body.conversation !== null) {
    throw unsupportedParameter(
      "conversation",
      "Conversations at the provider are not supported: continue a response with 'previous_response_id'.",
    );
  }
}

/** The conversation so far and the request's own part of it, each read by itself: paths name what the caller wrote. */
export function continued(
  body: JsonObject,
  { history, input }: Pick<Recalled, "history" | "input">,
): ConversationRequest {
  if (history.length === 0) return caller.decodeRequest({ ...body, input });
  const before = caller.decodeRequest({ model: body.model, input: history }).messages.map(fromBefore);
  if (isNothing(input)) {
    // A conversation may go on with nothing new; its instructions are read all the same.
    const { messages, ...settings } = caller.decodeRequest({ ...body, input: "" });
    return { ...settings, messages: [...messages.slice(0, -1), ...before] };
  }
  const own = caller.decodeRequest({ ...body, input });
  const instructions = own.messages.filter(({ path }) => path === "instructions");
  return { ...own, messages: [...instructions, ...before, ...own.messages.slice(instructions.length)] };
}

function isNothing(input: unknown): boolean {
  return input === undefined || input === null || (Array.isArray(input) && input.length === 0);
}

const beforePath = "previous_response_id";

function fromBefore(message: Message): Message {
  return { ...message, path: beforePath, parts: message.parts.map(partFromBefore) };
}

function partFromBefore(part: Part): Part {
  if (part.type !== "tool-result") return { ...part, path: beforePath };
  return { ...part, path: beforePath, parts: part.parts.map((content) => ({ ...content, path: beforePath })) };
}
