import { z } from "zod";

/**
 * The bodies of the vendors' operations: the fields that the gateway itself checks. All others are passed on to the
 * provider, or refused by name if the provider's dialect has no such field.
 */

const model = z.string().meta({ description: "A model, an alias or a route." });
const stream = z.boolean().nullish();
const whole = (min: number) => z.int().min(min).nullish();
const open = z.looseObject({});

const contentPart = z.looseObject({ type: z.string() });

const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  tool_calls: z.array(open).nullish(),
  tool_call_id: z.string().nullish(),
});

const functionTool = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string(), parameters: open.nullish() }).optional(),
});

const streamOptions = z.looseObject({ include_usage: z.boolean().nullish() }).nullish();

export const chatBody = z.looseObject({
  model,
  messages: z.array(message).min(1),
  stream,
  stream_options: streamOptions,
  tools: z.array(functionTool).nullish(),
  tool_choice: z.union([z.string(), open]).nullish(),
  response_format: z.looseObject({ type: z.string(), json_schema: open.nullish() }).nullish(),
  temperature: z.number().nullish(),
  max_tokens: whole(1),
  max_completion_tokens: whole(1),
  n: z.int().min(1).max(128).nullish(),
});

const tokens = z.array(z.int().min(0)).min(1);
const prompt = z.union([
  z.string(),
  tokens,
  z
    .array(z.union([z.string(), tokens]))
    .min(1)
    .max(2_048),
]);

export const completionsBody = z.looseObject({
  model,
  prompt,
  stream,
  stream_options: streamOptions,
  max_tokens: whole(0),
  n: z.int().min(1).max(128).nullish(),
  best_of: z.int().min(1).max(128).nullish(),
  temperature: z.number().nullish(),
});

export const embeddingsBody = z.looseObject({
  model,
  input: prompt,
  dimensions: whole(1),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  user: z.string().nullish(),
});

export const speechBody = z.looseObject({
  model,
  input: z.string().min(1).meta({ description: "At most 4096 characters, unless the model declares another limit." }),
  voice: z.union([z.string(), z.looseObject({ id: z.string() })]),
  instructions: z.string().max(4_096).nullish(),
  response_format: z.string().nullish().meta({ description: "mp3, opus, aac, flac, wav or pcm; mp3 unless told." }),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(["audio", "sse"]).nullish(),
});

const imagesFields = {
  model,
  prompt: z.string().min(1).max(32_000),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish().meta({ description: "A width and a height, such as 1024x1024, or auto." }),
  quality: z.string().nullish(),
  background: z.string().nullish(),
  moderation: z.string().nullish(),
  output_format: z.string().nullish().meta({ description: "png, jpeg or webp." }),
  output_compression: z.int().min(0).max(100).nullish(),
  response_format: z.enum(["url", "b64_json"]).nullish(),
  stream,
  partial_images: z.int().min(0).max(3).nullish(),
};

export const imagesBody = z.looseObject({ ...imagesFields, style: z.string().nullish() });

const imageReference = z.looseObject({ image_url: z.string().nullish(), file_id: z.string().nullish() });

export const imageEditsBody = z.looseObject({
  ...imagesFields,
  images: z.array(imageReference).min(1).max(16).meta({
    description: "In a form instead: the files `image`, or `image[]` several times, and `mask`.",
  }),
  mask: imageReference.nullish(),
  input_fidelity: z.string().nullish(),
});

const ofTranslation = {
  file: z
    .string()
    .meta({ format: "binary", description: "Sound, of at most `files.max_file_bytes`; its name does not matter." }),
  model,
  prompt: z.string().nullish(),
  response_format: z
    .enum(["json", "text", "srt", "verbose_json", "vtt"])
    .nullish()
    .meta({ description: "json unless told." }),
  temperature: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish().meta({ description: "Events: with the formats json and text." }),
};

export const translationBody = z.looseObject(ofTranslation);

export const transcriptionBody = z.looseObject({
  ...ofTranslation,
  response_format: z
    .enum(["json", "text", "srt", "verbose_json", "vtt", "diarized_json"])
    .nullish()
    .meta({ description: "json unless told." }),
  language: z.string().nullish().meta({ description: "As BCP 47 writes it: en, pt-BR." }),
  timestamp_granularities: z.array(z.enum(["word", "segment"])).nullish(),
  include: z.array(z.string()).nullish(),
  chunking_strategy: z.string().nullish(),
  known_speaker_names: z.array(z.string()).max(4).nullish(),
  known_speaker_references: z.array(z.string()).max(4).nullish(),
});

export const countResponsesBody = z.looseObject({
  model,
  input: z.union([z.string(), z.array(open)]).nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  stream,
  tools: z.array(open).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: whole(1),
});

export const responsesBody = countResponsesBody.extend({
  store: z.boolean().nullish(),
  background: z.literal(false).nullish(),
});

const anthropicMessage = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(contentPart)]) });

const countedMessages = {
  model,
  messages: z.array(anthropicMessage),
  system: z.union([z.string(), z.array(contentPart)]).nullish(),
  tools: z.array(open).nullish(),
  tool_choice: open.nullish(),
};

export const messagesBody = z.looseObject({
  ...countedMessages,
  max_tokens: z.int().min(0),
  stream,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  metadata: open.nullish(),
});

export const countMessagesBody = z.looseObject(countedMessages);

const content = z.looseObject({ role: z.string().nullish(), parts: z.array(open).nullish() });

export const generateContentBody = z.looseObject({
  contents: z.array(content).meta({ description: "Names may also be written in snake_case." }),
  systemInstruction: content.nullish(),
  tools: z.array(open).nullish(),
  toolConfig: open.nullish(),
  generationConfig: z
    .looseObject({ maxOutputTokens: whole(1), temperature: z.number().nullish(), topP: z.number().nullish() })
    .nullish(),
});

export const countContentBody = z.looseObject({
  contents: z.array(content).nullish(),
  generateContentRequest: open.nullish(),
});

export const embedContentBody = z.looseObject({ content, outputDimensionality: whole(1) });

export const batchEmbedContentsBody = z.looseObject({ requests: z.array(embedContentBody).min(1).max(2_048) });
