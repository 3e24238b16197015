/**
 * Writes `docs/media-support.md`: what each provider dialect does with each field of a request for media, from the tables
 * that the gateway itself goes by. Run it after changing one of them; a test holds the page against the code.
 */
import { carried, type Support } from "../src/conversation/fields/support.ts";
import type { Dialect } from "../src/dialects/dialect.ts";
import { dialects } from "../src/dialects/registry.ts";
import { type ImagesCapabilities, imageFormats } from "../src/operations/images/images.ts";
import { type SpeechCapabilities, speechFormats } from "../src/operations/speech/speech.ts";
import { type TranscriptionCapabilities, transcriptFormats } from "../src/operations/transcription/transcription.ts";
import type { VideoCapabilities } from "../src/operations/videos/video.ts";
import { markdownTable } from "./markdown-table.ts";

export const mediaSupportFile = new URL("../docs/media-support.md", import.meta.url);

const introduction = `# What providers do with media

What becomes of each field of a request at a provider of each dialect:

- **native**: the provider has the same.
- **emulated by ...**: the gateway or the provider does the same by other means.
- **warned**: left out; \`X-Service-Warnings\` names the field.
- **refused**: 400, naming the field, since the answer would not be what was asked for. If the model has a further target that
  can do it, that one is asked.

The page is written by \`scripts/media-support.ts\` from the tables that the gateway goes by.
`;

/** A field, and what a provider does with it. */
type Row<Capabilities> = readonly [field: string, of: (capabilities: Capabilities) => string];

const speechRows: readonly Row<SpeechCapabilities>[] = [
  ["`input`", ({ maxCharacters }) => (maxCharacters === null ? "native" : `native, up to ${maxCharacters} characters`)],
  ["`voice`", () => "native"],
  ["`voice.id`", ({ ownVoice }) => treatment(ownVoice)],
  ["`instructions`", ({ instructions }) => treatment(instructions)],
  ...speechFormats.map((format): Row<SpeechCapabilities> => [
    `\`response_format: ${format}\``,
    ({ formats }) => treatment(formats[format]),
  ]),
  [
    "`speed`",
    ({ speed, speedRange: { min, max } }) =>
      speed.status === "carried" ? `native, from ${min} to ${max}` : treatment(speed),
  ],
  ["`stream_format: sse`", ({ events }) => treatment(events)],
  ["any other", ({ otherFields }) => treatment(otherFields)],
];

/** A field of a request for images, and what a provider does with it. */
type ImagesRow = Row<ImagesCapabilities>;

const imagesRows: readonly ImagesRow[] = [
  ["`prompt`", () => "native"],
  [
    "`n`",
    ({ n, maxImages }) => (n.status === "carried" && maxImages < 10 ? `native, up to ${maxImages}` : treatment(n)),
  ],
  ["`size`", ({ size }) => treatment(size)],
  ["`quality`", ({ quality }) => treatment(quality)],
  ["`style`", ({ style }) => treatment(style)],
  ["`background: transparent`", ({ transparent }) => treatment(transparent)],
  ["`background: opaque`", ({ background }) => treatment(background)],
  ["`moderation`", ({ moderation }) => treatment(moderation)],
  ...imageFormats.map((format): ImagesRow => [
    `\`output_format: ${format}\``,
    ({ formats }) => treatment(formats[format]),
  ]),
  ["`output_compression`", ({ outputCompression }) => treatment(outputCompression)],
  ["`response_format: url`", ({ responseFormat }) => treatment(responseFormat.url)],
  ["`response_format: b64_json`", ({ responseFormat }) => treatment(responseFormat.b64_json)],
  ["`stream`", ({ stream }) => treatment(stream)],
  ["`partial_images`", ({ partialImages }) => treatment(partialImages)],
  [
    "`image`, `images`",
    ({ edits, maxInputImages }) => (edits.status === "carried" ? `native, up to ${maxInputImages}` : treatment(edits)),
  ],
  ["`images[].image_url`", ({ edits, imageUrl }) => treatment(edits.status === "refused" ? edits : imageUrl)],
  ["`mask`", ({ mask }) => treatment(mask)],
  ["`input_fidelity`", ({ inputFidelity }) => treatment(inputFidelity)],
  ["any other", ({ otherFields }) => treatment(otherFields)],
];

function imagesSection(): readonly string[] {
  const makers = dialects.all.flatMap(({ provides }) => provides.images?.columns ?? []);
  const rows = imagesRows.map(([field, of]) => [field, ...makers.map(({ capabilities }) => of(capabilities))]);
  const reasons = makers.flatMap(({ title, capabilities }) => {
    const { formats, responseFormat, ...others } = capabilities;
    const all = [...Object.values(formats), ...Object.values(responseFormat), ...Object.values(others)];
    const sentences = all.flatMap((support) =>
      typeof support === "object" && support.status === "refused" ? [support.why] : [],
    );
    return [...new Set(sentences)].map((why) => [title, why]);
  });
  return [
    "## Images\n",
    "`POST /v1/images/generations` and `POST /v1/images/edits`. See [Images](images.md).\n",
    markdownTable(["field", ...makers.map(({ title }) => title)], rows),
    "Why some are refused:\n",
    markdownTable(["provider", "why"], reasons),
  ];
}

const transcriptionRows: readonly Row<TranscriptionCapabilities>[] = [
  ["`file`", ({ maxFileBytes }) => (maxFileBytes === null ? "native" : `native, up to ${maxFileBytes / 1e6} MB`)],
  ["`POST /v1/audio/translations`", ({ translation }) => treatment(translation)],
  ...transcriptFormats.map((format): Row<TranscriptionCapabilities> => [
    `\`response_format: ${format}\``,
    ({ formats }) => treatment(formats[format]),
  ]),
  ["`language`", ({ language }) => treatment(language)],
  ["`prompt`", ({ prompt }) => treatment(prompt)],
  ["`temperature`", ({ temperature }) => treatment(temperature)],
  ["`timestamp_granularities[]`", ({ granularities }) => treatment(granularities)],
  ["`include[]`", ({ include }) => treatment(include)],
  ["`stream`", ({ events }) => treatment(events)],
  ["`chunking_strategy`", ({ chunking }) => treatment(chunking)],
  ["`known_speaker_names[]`, `known_speaker_references[]`", ({ speakers }) => treatment(speakers)],
  ["any other", ({ otherFields }) => treatment(otherFields)],
];

type VideoRow = readonly [field: string, of: (capabilities: VideoCapabilities) => Support];

const videoRows: readonly VideoRow[] = [
  ["`prompt`", () => carried],
  ["`seconds`", ({ seconds }) => seconds],
  ["`size`", ({ size }) => size],
  ["`input_reference`, a file", ({ imageFile }) => imageFile],
  ["`input_reference.image_url`", ({ imageUrl }) => imageUrl],
  ["remix", ({ remix }) => remix],
  ["any other", ({ otherFields }) => otherFields],
];

function videoSection(): string {
  const makers = dialects.all.flatMap(({ name, provides }) => (provides.videos ? [{ name, ...provides.videos }] : []));
  const rows = videoRows.map(([field, of]) => [
    field,
    ...makers.map(({ capabilities }) => treatment(of(capabilities))),
  ]);
  const reasons = makers.flatMap(({ name, capabilities }) => {
    const sentences = Object.values(capabilities).flatMap((support: Support) =>
      support.status === "refused" ? [support.why] : [],
    );
    return [...new Set(sentences)].map((why) => [`\`${name}\``, why]);
  });
  return [
    "## Videos\n",
    "`POST /v1/videos`. See [Videos](videos.md).\n",
    markdownTable(["field", ...makers.map(({ name }) => name)], rows),
    "Why some are refused:\n",
    markdownTable(["provider", "why"], reasons),
  ].join("\n");
}

/** The whole page. */
export function mediaSupportPage(): string {
  const speakers = dialects.all.flatMap(({ name, provides }) =>
    provides.speech ? [{ name, capabilities: provides.speech.capabilities }] : [],
  );
  const transcribers = dialects.all.flatMap(({ name, provides }) =>
    provides.transcription ? [{ name, capabilities: provides.transcription.capabilities }] : [],
  );
  const reasons = speakers.flatMap(({ name, capabilities }) => reasonsOf(name, capabilities));
  const refusals = transcribers.flatMap(({ name, capabilities }) => refusalsOf(name, capabilities));
  return [
    introduction,
    "## Speech\n",
    "`POST /v1/audio/speech`. See [Audio](audio.md).\n",
    supportTable(speechRows, speakers),
    "Why some are refused:\n",
    markdownTable(["provider", "why"], reasons),
    ...imagesSection(),
    "## Transcripts\n",
    "`POST /v1/audio/transcriptions` and `/v1/audio/translations`. See [Audio](audio.md).\n",
    supportTable(transcriptionRows, transcribers),
    "Why some are refused:\n",
    markdownTable(["provider", "why"], refusals),
    videoSection(),
  ].join("\n");
}

/** A column for each provider. */
function supportTable<Capabilities>(
  rows: readonly Row<Capabilities>[],
  providers: readonly { readonly name: string; readonly capabilities: Capabilities }[],
): string {
  return markdownTable(
    ["field", ...providers.map(({ name }) => name)],
    rows.map(([field, of]) => [field, ...providers.map(({ capabilities }) => of(capabilities))]),
  );
}

function treatment(support: Support): string {
  switch (support.status) {
    case "carried":
      return "native";
    case "emulated":
      return `emulated by ${support.how}`;
    case "ignored":
      return "warned";
    case "refused":
      return "refused";
  }
}

/** What callers are told, each sentence once. */
function reasonsOf(name: Dialect["name"], { formats, ownVoice, instructions, speed, events }: SpeechCapabilities) {
  return sentencesOf(name, [...Object.values(formats), ownVoice, instructions, speed, events]);
}

function refusalsOf(name: Dialect["name"], capabilities: TranscriptionCapabilities) {
  const { formats, granularities, include, speakers, translation, events } = capabilities;
  return sentencesOf(name, [translation, ...Object.values(formats), granularities, include, speakers, events]);
}

function sentencesOf(name: Dialect["name"], all: readonly Support[]) {
  const sentences = all.flatMap((support) => (support.status === "refused" ? [support.why] : []));
  return [...new Set(sentences)].map((why) => [`\`${name}\``, why]);
}

if (import.meta.main) await Bun.write(mediaSupportFile, mediaSupportPage());
