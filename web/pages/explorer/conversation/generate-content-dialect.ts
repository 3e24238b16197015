import {
  type ConversationRequest,
  dataOfPicture,
  type Dialect,
  type JsonObject,
  type Message,
  type Picture,
  type ToolCall,
} from "./conversation.ts";

interface Chunk {
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly Part[] } }[];
  readonly usageMetadata?: { readonly candidatesTokenCount?: number; readonly thoughtsTokenCount?: number };
}

interface Part extends JsonObject {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: JsonObject };
}

/** Google's generateContent. */
export const generateContentDialect: Dialect = {
  path: (model) => `/v1beta/models/${model.split("/").map(encodeURIComponent).join("/")}:streamGenerateContent?alt=sse`,
  body: ({ settings, messages }) => ({
    contents: messages.map(encodeMessage),
    ...(settings.system !== "" && { systemInstruction: { parts: [{ text: settings.system }] } }),
    ...(settings.tools.length > 0 && {
      tools: [
        {
          functionDeclarations: settings.tools.map(({ parameters, ...tool }) => {
            return { ...tool, parametersJsonSchema: parameters };
          }),
        },
      ],
    }),
    ...generationConfig(settings),
  }),
  read(answer, event) {
    const { candidates, usageMetadata: usage } = event as Chunk;
    const parts = candidates?.[0]?.content?.parts ?? [];
    const textOf = (isThought: boolean) =>
      parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");
    const output = usage?.candidatesTokenCount;
    return {
      text: answer.text + textOf(false),
      reasoning: answer.reasoning + textOf(true),
      calls: [...answer.calls, ...parts.flatMap((part, index) => callOf(part, answer.calls.length + index))],
      native: [...answer.native, ...parts],
      outputTokens: output === undefined ? answer.outputTokens : output + (usage?.thoughtsTokenCount ?? 0),
    };
  },
};

function generationConfig({ schema, effort, maxTokens, temperature }: ConversationRequest["settings"]) {
  const config = {
    ...(schema && { responseMimeType: "application/json", responseJsonSchema: schema }),
    ...(effort && { thinkingConfig: { includeThoughts: true, thinkingLevel: effort.toUpperCase() } }),
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    ...(temperature !== null && { temperature }),
  };
  return Object.keys(config).length > 0 ? { generationConfig: config } : {};
}

function encodeMessage(message: Message): object {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [...message.pictures.map(encodePicture), { text: message.text }] };
    case "tool":
      return { role: "user", parts: message.results.map(({ call, content }) => encodeResult(call, content)) };
    case "assistant":
      return { role: "model", parts: message.native.length > 0 ? message.native : [{ text: message.text }] };
  }
}

function encodePicture(picture: Picture): object {
  const data = dataOfPicture(picture);
  return data
    ? { inlineData: { mimeType: data.mediaType, data: data.base64 } }
    : { fileData: { fileUri: picture.url } };
}

function encodeResult({ id, name }: ToolCall, content: string): object {
  const isOwnId = !id.startsWith(madeId);
  return { functionResponse: { ...(isOwnId && { id }), name, response: { result: content } } };
}

/** Calls that Google gave no id. */
const madeId = "call-";

function callOf({ functionCall }: Part, index: number): readonly ToolCall[] {
  if (!functionCall) return [];
  const { id = `${madeId}${index}`, name, args = {} } = functionCall;
  return [{ id, name, arguments: JSON.stringify(args) }];
}
