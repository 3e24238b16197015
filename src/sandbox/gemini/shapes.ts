/** The fields of Google's messages, in the form of Google's definitions. */
export type FieldShape =
  | { readonly kind: "scalar"; readonly type: "string" | "number" | "integer" | "boolean" | "bytes" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "message"; readonly name: string }
  | { readonly kind: "list"; readonly of: FieldShape }
  | { readonly kind: "map"; readonly of: FieldShape }
  /** Any JSON value, with names chosen by the caller. */
  | { readonly kind: "value" };

export type MessageShape = ReadonlyMap<string, FieldShape>;

const text: FieldShape = { kind: "scalar", type: "string" };
const number: FieldShape = { kind: "scalar", type: "number" };
const integer: FieldShape = { kind: "scalar", type: "integer" };
const flag: FieldShape = { kind: "scalar", type: "boolean" };
const bytes: FieldShape = { kind: "scalar", type: "bytes" };
const value: FieldShape = { kind: "value" };
const message = (name: string): FieldShape => ({ kind: "message", name });
const list = (of: FieldShape): FieldShape => ({ kind: "list", of });
const map = (of: FieldShape): FieldShape => ({ kind: "map", of });
const words = (values: string): FieldShape => ({ kind: "enum", values: values.split(" ") });
const shape = (fields: Record<string, FieldShape>): MessageShape => new Map(Object.entries(fields));

const resolution = words(
  "MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH",
);

export const messages: Readonly<Record<string, MessageShape>> = {
  GenerateContentRequest: shape({
    model: text,
    systemInstruction: message("Content"),
    contents: list(message("Content")),
    tools: list(message("Tool")),
    toolConfig: message("ToolConfig"),
    safetySettings: list(message("SafetySetting")),
    generationConfig: message("GenerationConfig"),
    cachedContent: text,
    serviceTier: words("unspecified standard flex priority"),
    store: flag,
    labels: map(text),
    // A script, which is specific to the sandbox.
    sandbox: value,
  }),
  CountTokensRequest: shape({
    contents: list(message("Content")),
    generateContentRequest: message("GenerateContentRequest"),
    sandbox: value,
  }),
  BatchEmbedContentsRequest: shape({ requests: list(message("EmbedContentRequest")), sandbox: value }),
  EmbedContentRequest: shape({
    model: text,
    content: message("Content"),
    taskType: text,
    title: text,
    outputDimensionality: integer,
    sandbox: value,
  }),
  Content: shape({ role: text, parts: list(message("Part")) }),
  Part: shape({
    text,
    thought: flag,
    thoughtSignature: bytes,
    inlineData: message("Blob"),
    fileData: message("FileData"),
    functionCall: message("FunctionCall"),
    functionResponse: message("FunctionResponse"),
    executableCode: value,
    codeExecutionResult: value,
    videoMetadata: value,
    speechMetadata: message("SpeechMetadata"),
    partMetadata: value,
  }),
  Blob: shape({ mimeType: text, data: bytes }),
  FileData: shape({ mimeType: text, fileUri: text }),
  FunctionCall: shape({ id: text, name: text, args: map(value) }),
  FunctionResponse: shape({
    id: text,
    name: text,
    response: map(value),
    parts: list(message("FunctionResponsePart")),
    willContinue: flag,
    scheduling: text,
  }),
  FunctionResponsePart: shape({ inlineData: message("Blob") }),
  Tool: shape({
    functionDeclarations: list(message("FunctionDeclaration")),
    googleSearch: value,
    codeExecution: value,
    urlContext: value,
    googleMaps: value,
    fileSearch: value,
    computerUse: value,
    mcpServers: value,
  }),
  FunctionDeclaration: shape({
    name: text,
    description: text,
    behavior: text,
    parameters: message("Schema"),
    parametersJsonSchema: value,
    response: message("Schema"),
    responseJsonSchema: value,
  }),
  Schema: shape({
    type: words("TYPE_UNSPECIFIED STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL"),
    format: text,
    title: text,
    description: text,
    nullable: flag,
    enum: list(text),
    maxItems: integer,
    minItems: integer,
    properties: map(message("Schema")),
    required: list(text),
    minProperties: integer,
    maxProperties: integer,
    minLength: integer,
    maxLength: integer,
    pattern: text,
    example: value,
    anyOf: list(message("Schema")),
    propertyOrdering: list(text),
    default: value,
    items: message("Schema"),
    minimum: number,
    maximum: number,
  }),
  ToolConfig: shape({
    functionCallingConfig: message("FunctionCallingConfig"),
    retrievalConfig: value,
    includeServerSideToolInvocations: flag,
  }),
  FunctionCallingConfig: shape({
    mode: words("MODE_UNSPECIFIED AUTO ANY NONE VALIDATED"),
    allowedFunctionNames: list(text),
    streamFunctionCallArguments: flag,
  }),
  SafetySetting: shape({ category: text, threshold: text }),
  GenerationConfig: shape({
    temperature: number,
    topP: number,
    topK: integer,
    candidateCount: integer,
    maxOutputTokens: integer,
    stopSequences: list(text),
    responseMimeType: text,
    responseSchema: message("Schema"),
    responseJsonSchema: value,
    responseModalities: list(words("MODALITY_UNSPECIFIED TEXT IMAGE AUDIO")),
    responseLogprobs: flag,
    logprobs: integer,
    presencePenalty: number,
    frequencyPenalty: number,
    seed: integer,
    thinkingConfig: message("ThinkingConfig"),
    speechConfig: message("SpeechConfig"),
    responseFormat: message("ResponseFormat"),
    mediaResolution: resolution,
    imageConfig: value,
    enableEnhancedCivicAnswers: flag,
  }),
  SpeechMetadata: shape({ speaker: text, style: text }),
  SpeechConfig: shape({
    voiceConfig: message("VoiceConfig"),
    multiSpeakerVoiceConfig: value,
    languageCode: text,
  }),
  VoiceConfig: shape({ prebuiltVoiceConfig: message("PrebuiltVoiceConfig") }),
  PrebuiltVoiceConfig: shape({ voiceName: text }),
  ResponseFormat: shape({ audio: message("AudioFormat") }),
  AudioFormat: shape({ mimeType: words("AUDIO_WAV AUDIO_L16 AUDIO_MULAW AUDIO_ALAW") }),
  ThinkingConfig: shape({
    includeThoughts: flag,
    thinkingBudget: integer,
    thinkingLevel: words("THINKING_LEVEL_UNSPECIFIED MINIMAL LOW MEDIUM HIGH"),
  }),
};
