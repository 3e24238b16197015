import { carried, emulated, fetched, ignored, refused } from "../../../conversation/fields/support.ts";
import { invalidParameter } from "../../../errors.ts";
import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../../json/values.ts";
import { fitVideo } from "../../../operations/videos/fit-video.ts";
import type {
  FilmSource,
  InputImage,
  ProviderJob,
  VideoCapabilities,
  VideoProvider,
  VideoRequest,
  VideoState,
} from "../../../operations/videos/video.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";

const capabilities: VideoCapabilities = {
  seconds: carried,
  size: emulated("the aspect ratio and the resolution"),
  imageFile: carried,
  imageUrl: fetched,
  remix: refused("Veo does not change films that it has made."),
  otherFields: ignored,
};

/** The sizes that Veo has, as its aspect ratio and resolution. */
const sizes: Readonly<Record<string, readonly [aspectRatio: string, resolution: string]>> = {
  "1280x720": ["16:9", "720p"],
  "720x1280": ["9:16", "720p"],
  "1920x1080": ["16:9", "1080p"],
  "1080x1920": ["9:16", "1080p"],
  "3840x2160": ["16:9", "4k"],
  "2160x3840": ["9:16", "4k"],
};

/** A film may be within an answer: some tens of megabytes. */
const maxFilmAnswerBytes = 256 << 20;
/** Google's limit of a picture. */
const maxImageBytes = 20 << 20;

/** Veo: `:predictLongRunning`, and the operation that it begins. It has no list of operations. */
export const videoProvider: VideoProvider = {
  capabilities,
  async submit(request, model) {
    const warnings = fitVideo(request, capabilities);
    return {
      request: {
        dialect: "gemini",
        method: "POST",
        path: `${modelPath(model)}:predictLongRunning`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(await encode(request)),
      },
      warnings,
      readError: decodeGeminiError,
      readSubmitted: (body) => ({ id: nameOf(body), model, data: {} }),
    };
  },
  poll: ({ id }: ProviderJob) => ({
    request: { dialect: "gemini", method: "GET", path: `/v1beta/${id}`, headers: {}, body: null },
    maxAnswerBytes: maxFilmAnswerBytes,
    readError: decodeGeminiError,
    read: readOperation,
    ofError: (_body, status) => (status === 404 ? { status: "unknown" } : null),
  }),
  cancel: null,
  list: null,
};

async function encode({ prompt, seconds, size, image }: VideoRequest): Promise<JsonObject> {
  const parameters: Record<string, unknown> = {};
  if (seconds !== undefined) parameters.durationSeconds = seconds;
  if (size !== undefined) {
    const known = Object.hasOwn(sizes, size) ? sizes[size] : undefined;
    if (known === undefined) throw invalidParameter("size", `one of ${Object.keys(sizes).join(", ")}`);
    [parameters.aspectRatio, parameters.resolution] = known;
  }
  const picture = image === null ? {} : { image: await encodeImage(image) };
  return { instances: [{ prompt, ...picture }], parameters };
}

async function encodeImage(image: InputImage): Promise<JsonObject> {
  if (image.kind === "file") {
    if (image.size > maxImageBytes) throw invalidParameter("input_reference", `at most ${maxImageBytes} bytes`);
    const bytes = Buffer.concat(await Array.fromAsync(image.stream()));
    return { bytesBase64Encoded: bytes.toString("base64"), mimeType: image.contentType };
  }
  const [, mimeType, data] = /^data:(image\/[a-z+.-]+);base64,([A-Za-z0-9+/=]+)$/.exec(image.url) ?? [];
  if (mimeType !== undefined && data !== undefined) return { bytesBase64Encoded: data, mimeType };
  throw invalidParameter("input_reference.image_url", "an https: address, or a data: URL of an image in base64");
}

/** `models/veo-3/operations/abc`: it becomes a path. */
function nameOf(body: unknown): string {
  const name = isObject(body) ? stringOrNull(body.name) : null;
  if (name !== null && /^[\w.-]+(?:\/[\w.-]+){1,9}$/.test(name) && name.length <= 512 && !name.includes(".."))
    return name;
  throw new AnswerFault("The provider's operation has no name.");
}

function readOperation(body: unknown): VideoState {
  if (!isObject(body)) throw new AnswerFault("The provider's answer is not an object.");
  if (body.done !== true) return { status: "in_progress", progress: progressOf(body.metadata) };
  if (isObject(body.error)) {
    const { status, message, code } = body.error;
    const word = stringOrNull(status) ?? (typeof code === "number" ? `code_${code}` : null);
    return { status: "failed", code: word, message: stringOrNull(message) };
  }
  const response = isObject(body.response) ? body.response : {};
  const made = isObject(response.generateVideoResponse) ? response.generateVideoResponse : response;
  const film = filmOf(made);
  if (film !== null) {
    return { status: "completed", film, seconds: null, size: null, usage: null };
  }
  const reasons = listOrEmpty(made.raiMediaFilteredReasons).filter((reason) => typeof reason === "string");
  if (reasons.length > 0 || typeof made.raiMediaFilteredCount === "number") {
    return { status: "failed", code: "moderation_blocked", message: reasons[0] ?? null };
  }
  throw new AnswerFault("The provider's operation is done, and has no film.");
}

function progressOf(metadata: unknown): number | null {
  const percent = isObject(metadata) ? metadata.progressPercent : null;
  return typeof percent === "number" ? percent : null;
}

/** The first film of an answer, in the shapes of the Gemini API and of Vertex. */
function filmOf({ generatedSamples, videos }: JsonObject): FilmSource | null {
  for (const entry of [...listOrEmpty(generatedSamples), ...listOrEmpty(videos)]) {
    if (!isObject(entry)) continue;
    const film = isObject(entry.video) ? entry.video : entry;
    const data = stringOrNull(film.bytesBase64Encoded) ?? stringOrNull(film.encodedVideo);
    if (data !== null) return { kind: "base64", data };
    const address = stringOrNull(film.uri) ?? stringOrNull(film.gcsUri);
    if (address !== null) return sourceOf(address);
  }
  return null;
}

function sourceOf(address: string): FilmSource {
  const [, bucketAndName] = /^gs:\/\/(.+)$/.exec(address) ?? [];
  if (bucketAndName !== undefined) return { kind: "url", url: `https://storage.googleapis.com/${bucketAndName}` };
  const url = URL.parse(address);
  if (url === null) throw new AnswerFault("The provider's film has no address that can be read.");
  // A file of the API is read with the key, and only ever from the provider's own address.
  if (!/^\/(?:download\/)?v1(?:beta)?\/files\//.test(url.pathname)) return { kind: "url", url: address };
  const path = url.pathname + url.search;
  return { kind: "request", request: { dialect: "gemini", method: "GET", path, headers: {}, body: null } };
}
