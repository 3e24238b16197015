import type { RequestHeaders } from "../http/headers.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import type { AnswerContext, CallerCodec, DialectCodec, RequestAddress } from "../dialects/codec.ts";
import type { DialectName, UpstreamRequest } from "../dialects/exchange.ts";
import { readModelName } from "../dialects/fields/model-name.ts";
import { lowerLimits, type OutputLimitFields } from "../dialects/fields/output-limit.ts";
import { passThrough, type PassThroughForm } from "../dialects/exchanges/pass-through.ts";
import { mayNameFile } from "../files/file-id.ts";
import { readJsonObject } from "../json/read-object.ts";
import { type Member, scanTopLevel } from "../json/top-level.ts";
import type { JsonObject } from "../json/values.ts";
import { estimateContent, quickTokens } from "../metering/estimate.ts";
import { type ExpectedUsage, expectText } from "../metering/expected-usage.ts";
import { conversationContent } from "../metering/prompt-content.ts";
import type { Model, Target } from "../routing/names/model.ts";
import { capabilitiesUsed, checkTemperature } from "./capabilities.ts";
import type { FileForm } from "./files/file-form.ts";
import { checkFileSize, inlineFiles, type LargestFile } from "./files/inline-files.ts";
import { concernsSearch, maySearch, searching, type SearchScope } from "./searching.ts";
import { translated } from "./translated.ts";
import type { ExchangeTools, Operation, OperationInput, ReadContext, RequestBody } from "./operation.ts";

/** A conversation that a caller asks to continue, as it was written and in the neutral form. */
export interface ConversationInput extends OperationInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  /** The positions in the text of members that may have to change. */
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly headers: RequestHeaders;
  readonly conversation: ConversationRequest;
  readonly temperature: number | undefined;
  /** The maximum tokens of an answer, as the caller asks. */
  readonly maxOutputTokens: number | undefined;
  readonly context: AnswerContext;
  /** How this caller is written to. */
  readonly caller: CallerCodec;
  /** The largest of the caller's files in it; null or absent: there are none. */
  readonly largestFile?: LargestFile | null;
  /** What the caller's key may search. */
  readonly identity: SearchScope;
}

/** The facts that a quick look at a conversation finds. */
export interface ConversationFacts {
  readonly model: string;
  readonly stream: boolean;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** A conversation in the text in which it goes up. */
export type SentConversation = Pick<ConversationInput, "model" | "stream" | "text" | "members" | "body" | "headers">;

/** The parts of a dialect's conversation operation. */
export interface ConversationDialect extends Pick<
  Operation<ConversationInput>,
  "endpoint" | "paths" | "keyHeader" | "errorFormat"
> {
  readonly codec: DialectCodec;
  /** Top-level members whose text may have to change on the way up. */
  readonly changeable?: ReadonlySet<string>;
  /** The codec for a caller who may choose among forms of the answer; else the dialect's own. */
  readonly callerCodec?: (context: ReadContext) => CallerCodec;
  /**
   * Checks a body without reading the conversation, which is then read if it is asked for: what passes through is sent on
   * as it was written. Throws a 400 that names the field.
   */
  readonly check?: (body: JsonObject) => ConversationFacts;
  /** How its requests name files of the gateway's; absent if they do not. */
  readonly files?: FileForm;
  /** Whether a body may have to do with a search of the web, so that its conversation has to be read; else any may. */
  readonly mayConcernSearch?: (body: JsonObject) => boolean;
  /** The fields in the URL rather than in the body. */
  readonly address?: (context: ReadContext) => RequestAddress;
  /** The field in which its callers write the maximum tokens of an answer. */
  readonly outputLimit: OutputLimitFields;
  /** The request as it goes up to a provider of the same dialect. */
  readonly upstream: (input: SentConversation, target: Target) => UpstreamRequest;
  /** How a stream passes through. */
  readonly form: (input: ConversationInput) => PassThroughForm;
}

const modelOnly: ReadonlySet<string> = new Set(["model"]);

/** Reads a body. Throws a 400 that names the field. */
function readConversation(
  dialect: ConversationDialect,
  text: string,
  context: ReadContext,
): ConversationInput | Promise<ConversationInput> {
  const { changeable = modelOnly, files } = dialect;
  const { body, members } = readJsonObject(text, changeable);
  if (files === undefined || !mayNameFile(text)) return conversationOf(dialect, { text, body, members }, context);
  return inlineFiles({ text, body }, files, context).then((whole) =>
    conversationOf(
      dialect,
      { ...whole, members: scanTopLevel(whole.text, changeable).members },
      context,
      whole.largest,
    ),
  );
}

function conversationOf(
  dialect: ConversationDialect,
  { text, body, members }: Pick<CheckedBody, "text" | "body" | "members">,
  context: ReadContext,
  largestFile: LargestFile | null = null,
): ConversationInput {
  const facts = dialect.check?.(body);
  if (facts) return new UnreadConversation(dialect, { text, members, body, facts }, context);
  const caller = callerOf(dialect, context);
  const conversation = decodeBody(dialect, body, context);
  const { stream, temperature, maxOutputTokens } = conversation;
  const model = readModelName(conversation.model);
  const { headers } = context;
  const answer = answerContext(body, model, { conversation }, context);
  const settings = { model, stream, temperature, maxOutputTokens };
  return {
    ...settings,
    text,
    members,
    body,
    headers,
    conversation,
    caller,
    context: answer,
    largestFile,
    identity: context.identity,
  };
}

function callerOf({ callerCodec, codec }: ConversationDialect, context: ReadContext): CallerCodec {
  return callerCodec?.(context) ?? codec.caller;
}

function decodeBody(
  { codec, address }: ConversationDialect,
  body: JsonObject,
  context: ReadContext,
): ConversationRequest {
  return codec.caller.decodeRequest(body, address?.(context));
}

/** A body that `check` has checked. */
interface CheckedBody {
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly facts: ConversationFacts;
}

/** A conversation that has been checked, and is read if it is asked for. */
class UnreadConversation implements ConversationInput {
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly #dialect: ConversationDialect;
  readonly #facts: ConversationFacts;
  readonly #readContext: ReadContext;
  #conversation: ConversationRequest | null = null;

  constructor(dialect: ConversationDialect, { text, members, body, facts }: CheckedBody, readContext: ReadContext) {
    this.text = text;
    this.members = members;
    this.body = body;
    this.#dialect = dialect;
    this.#facts = facts;
    this.#readContext = readContext;
  }

  get caller(): CallerCodec {
    return callerOf(this.#dialect, this.#readContext);
  }

  get model(): string {
    return this.#facts.model;
  }

  get stream(): boolean {
    return this.#facts.stream;
  }

  get headers(): RequestHeaders {
    return this.#readContext.headers;
  }

  get conversation(): ConversationRequest {
    return (this.#conversation ??= decodeBody(this.#dialect, this.body, this.#readContext));
  }

  get identity(): SearchScope {
    return this.#readContext.identity;
  }

  get temperature(): number | undefined {
    return this.#facts.temperature;
  }

  get maxOutputTokens(): number | undefined {
    return this.#facts.maxOutputTokens;
  }

  get context(): AnswerContext {
    return answerContext(this.body, this.model, this, this.#readContext);
  }
}

/** An operation whose callers speak one dialect and whose providers speak any that can hold a conversation. */
export function conversationOperation(dialect: ConversationDialect): Operation<ConversationInput> {
  const { codec } = dialect;
  return {
    endpoint: dialect.endpoint,
    paths: dialect.paths,
    method: "POST",
    body: "json",
    keyHeader: dialect.keyHeader,
    errorFormat: dialect.errorFormat,
    limitsOutput: true,
    read: (body, context) => readConversation(dialect, jsonText(body), context),
    ...conversationRules,
    attribution: ({ body }) => codec.caller.attribution?.(body) ?? null,
    exchange(input, target, model, tools) {
      const spokenDialects = closestCodec(codec, target.provider.dialects, tools.dialects);
      if (spokenDialects === null) return null;
      if (model.webSearch !== undefined && dialect.mayConcernSearch?.(input.body) !== false && concernsSearch(input)) {
        return searching(input, spokenDialects, target, model, model.webSearch, tools);
      }
      if (spokenDialects.name !== codec.name) return translated(input, spokenDialects, target, model, tools);
      const { caller, context } = input;
      const { sent, lowered } = withLoweredLimits(dialect, input, model);
      const request = dialect.upstream(sent, target);
      const form = dialect.form(input);
      return passThrough({ codec: { ...codec, caller }, request, context, form, warnings: lowered });
    },
  };
}

const unchanged: readonly string[] = [];

/** The request as it may go up to a model, and the paths of the fields that had to change. */
function withLoweredLimits({ outputLimit, changeable }: ConversationDialect, input: ConversationInput, target: Model) {
  const { text, body, maxOutputTokens: asked, model, stream, headers } = input;
  const lowered = lowerLimits({ text, body, asked }, outputLimit, target);
  if (lowered === null) return { sent: input, lowered: unchanged };
  const { members } = scanTopLevel(lowered.text, changeable ?? modelOnly);
  return { sent: { model, stream, text: lowered.text, members, body, headers }, lowered: lowered.lowered };
}

/** The text of a JSON body: what `body: "json"` promises. */
export function jsonText(body: RequestBody): string {
  if (body.kind !== "json") throw new Error("This operation reads JSON.");
  return body.text;
}

/** The methods of a conversation that do not depend on its caller's dialect. */
export const conversationRules: Pick<
  Operation<
    OperationInput & Pick<ConversationInput, "conversation" | "text" | "temperature" | "identity" | "largestFile">
  >,
  "checkModel" | "capabilities" | "expectedUsage" | "size" | "estimateInput"
> = {
  checkModel(input, model) {
    checkTemperature(input, model);
    checkFileSize(input.largestFile, model);
  },
  capabilities: ({ conversation }) => capabilitiesUsed(conversation),
  expectedUsage: ({ conversation, text, identity }) =>
    expectConversation(conversation, () => Buffer.byteLength(text), maySearch(identity)),
  size: ({ text }) => Buffer.byteLength(text),
  estimateInput: ({ conversation }) => estimateContent(conversationContent(conversation)),
};

/** The facts about a request that the answer's encoder needs. */
export function answerContext(
  callerBody: JsonObject,
  model: string,
  input: Pick<ConversationInput, "conversation">,
  readContext: Pick<ReadContext, "requestId" | "now">,
  isStored = false,
): AnswerContext {
  return new ConversationAnswerContext(callerBody, model, input, readContext, isStored);
}

class ConversationAnswerContext implements AnswerContext {
  readonly callerBody: JsonObject;
  readonly model: string;
  readonly isStored: boolean;
  readonly fallbackId: string;
  readonly created: number;
  readonly #input: Pick<ConversationInput, "conversation">;

  constructor(
    callerBody: JsonObject,
    model: string,
    input: Pick<ConversationInput, "conversation">,
    { requestId, now }: Pick<ReadContext, "requestId" | "now">,
    isStored: boolean,
  ) {
    this.callerBody = callerBody;
    this.model = model;
    this.isStored = isStored;
    this.fallbackId = requestId.slice("req_".length);
    this.created = Math.floor(now / 1000);
    this.#input = input;
  }

  get estimatedInputTokens(): number {
    return quickTokens(conversationContent(this.#input.conversation));
  }
}

/** The expected usage of a conversation. `size` is its length in UTF-8 bytes. */
export function expectConversation(
  conversation: ConversationRequest,
  size: () => number,
  searches: boolean,
): ExpectedUsage {
  const { candidateCount, maxOutputTokens } = conversation;
  return expectText(conversationContent(conversation), size, candidateCount, maxOutputTokens, searches);
}

/**
 * Of the dialects that a provider speaks, the one in which the least of a caller's request has to change; null if none of
 * them holds conversations.
 */
export function closestCodec(
  { name, caller }: DialectCodec,
  spokenDialects: readonly DialectName[],
  dialects: ExchangeTools["dialects"],
): DialectCodec | null {
  // Nearly every provider speaks one dialect, and it is the caller's.
  const [first] = spokenDialects;
  if (spokenDialects.length === 1 && first !== undefined) return dialects.find(first).provides.conversation ?? null;
  const rank = (dialect: DialectName) => {
    if (dialect === name) return -1;
    const place = caller.nearest.indexOf(dialect);
    return place < 0 ? caller.nearest.length : place;
  };
  const able = spokenDialects.flatMap((dialect) => dialects.find(dialect).provides.conversation ?? []);
  const [closest] = able.sort((a, b) => rank(a.name) - rank(b.name));
  return closest ?? null;
}
