import { z } from "zod";
import { type DescribedAnswer, type Description, type Descriptions, input, json } from "./description.ts";
import * as bodies from "./vendor-schemas.ts";

const answerOf = (name: string) => ({ name, schema: z.looseObject({}) });
const sound = { name: "Sound", schema: z.string().meta({ format: "binary", description: "What its bytes are." }) };
const events = { name: "Events", schema: z.string().meta({ description: "Server-sent events." }) };

/** An answer in one piece, or as server-sent events if the request asks for a stream. */
function streamed(name: string): DescribedAnswer {
  return {
    description: "The vendor's answer; a stream if the request asks for one",
    content: { "application/json": answerOf(name), "text/event-stream": events },
  };
}

function operation(
  summary: string,
  tag: string,
  body: Description["body"],
  answer: DescribedAnswer = json(answerOf("Count"), "The vendor's answer"),
): Description {
  return { summary, tag, access: "key", ...(body && { body }), answer };
}

/** Google's operations are served under both versions. */
function atBothVersions(action: string, description: Description): Descriptions {
  return Object.fromEntries(["/v1beta", "/v1"].map((base) => [`POST ${base}/models/{model+}:${action}`, description]));
}

const generateBody = input("GenerateContentRequest", bodies.generateContentBody);
const embeddings = json(answerOf("Embeddings"), "The vectors");

const transcript: DescribedAnswer = {
  description: "The transcript in the format that was asked for; events if the request asks for them",
  content: {
    "application/json": answerOf("Transcript"),
    "text/plain": { name: "TranscriptText", schema: z.string().meta({ description: "A text, SRT or WebVTT." }) },
    "text/event-stream": events,
  },
};

/** The vendors' operations. */
export const vendorPaths: Descriptions = {
  "POST /v1/chat/completions": operation(
    "Chat, as OpenAI has it",
    "chat",
    input("ChatRequest", bodies.chatBody),
    streamed("ChatCompletion"),
  ),
  "POST /v1/completions": operation(
    "Complete texts, as OpenAI has it",
    "chat",
    input("CompletionsRequest", bodies.completionsBody),
    streamed("Completion"),
  ),
  "POST /v1/embeddings": operation(
    "Embed texts, as OpenAI has it",
    "embeddings",
    input("EmbeddingsRequest", bodies.embeddingsBody),
    embeddings,
  ),
  "POST /v1/audio/speech": operation(
    "Speak a text, as OpenAI has it",
    "audio",
    input("SpeechRequest", bodies.speechBody),
    {
      description: "The sound, sent as it comes; events if the request asks for them",
      content: { "audio/*": sound, "text/event-stream": events },
    },
  ),
  "POST /v1/images/generations": operation(
    "Make images by a text, as OpenAI has it",
    "images",
    input("ImagesRequest", bodies.imagesBody),
    streamed("Images"),
  ),
  "POST /v1/images/edits": operation(
    "Make images by a text and other images, as OpenAI has it; as a form, or as JSON that names the images",
    "images",
    input("ImageEditsRequest", bodies.imageEditsBody),
    streamed("EditedImages"),
  ),
  "POST /v1/audio/transcriptions": operation(
    "Transcribe sound, as OpenAI has it",
    "audio",
    { ...input("TranscriptionRequest", bodies.transcriptionBody), contentType: "multipart/form-data" },
    transcript,
  ),
  "POST /v1/audio/translations": operation(
    "Transcribe sound in English, as OpenAI has it",
    "audio",
    { ...input("TranslationRequest", bodies.translationBody), contentType: "multipart/form-data" },
    transcript,
  ),
  "POST /v1/responses": operation(
    "Make a response, as OpenAI has it",
    "responses",
    input("ResponsesRequest", bodies.responsesBody),
    streamed("Response"),
  ),
  "POST /v1/responses/input_tokens": operation(
    "Count the tokens of a request for a response; free",
    "responses",
    input("CountResponsesRequest", bodies.countResponsesBody),
  ),
  "POST /v1/responses/compact": operation(
    "Make one item of a long conversation",
    "responses",
    input("CompactRequest", bodies.responsesBody),
    json(answerOf("Compaction"), "The compacted conversation"),
  ),
  "POST /v1/messages": operation(
    "Send messages, as Anthropic has it",
    "messages",
    input("MessagesRequest", bodies.messagesBody),
    streamed("Message"),
  ),
  "POST /v1/messages/count_tokens": operation(
    "Count the tokens of messages, as Anthropic has it; free",
    "messages",
    input("CountMessagesRequest", bodies.countMessagesBody),
  ),
  ...atBothVersions(
    "generateContent",
    operation(
      "Generate content, as Google has it",
      "generate_content",
      generateBody,
      json(answerOf("Content"), "The content"),
    ),
  ),
  ...atBothVersions(
    "streamGenerateContent",
    operation("Generate content as a stream, as Google has it", "generate_content", generateBody, streamed("Content")),
  ),
  ...atBothVersions(
    "countTokens",
    operation(
      "Count the tokens of contents, as Google has it; free",
      "generate_content",
      input("CountContentRequest", bodies.countContentBody),
    ),
  ),
  ...atBothVersions(
    "embedContent",
    operation(
      "Embed a content, as Google has it",
      "embeddings",
      input("EmbedContentRequest", bodies.embedContentBody),
      embeddings,
    ),
  ),
  ...atBothVersions(
    "batchEmbedContents",
    operation(
      "Embed several contents, as Google has it",
      "embeddings",
      input("BatchEmbedContentsRequest", bodies.batchEmbedContentsBody),
      embeddings,
    ),
  ),
};
