import { carried, emulated, fetched, ignored, refused } from "../../../conversation/fields/support.ts";
import { fitImages } from "../../../operations/images/fit-images.ts";
import type {
  ImagesCall,
  ImagesCapabilities,
  ImagesProvider,
  ImagesRequest,
} from "../../../operations/images/images.ts";
import type { CallOutcome, UpstreamRequest } from "../../exchange.ts";
import { decodeGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";
import { readGenerated, readPredicted } from "./decode-images.ts";
import { encodeGenerate, encodePredict } from "./encode-images.ts";

/** Models that make images as a part of a conversation. */
const ofGemini: ImagesCapabilities = {
  n: emulated("as many calls at once"),
  maxImages: 10,
  size: emulated("the nearest aspect ratio, and a resolution of 1K, 2K or 4K"),
  quality: ignored,
  style: ignored,
  background: ignored,
  transparent: refused("Gemini makes no transparent images."),
  moderation: ignored,
  formats: { png: ignored, jpeg: ignored, webp: ignored },
  outputCompression: ignored,
  responseFormat: { url: emulated("a link of the gateway"), b64_json: carried },
  stream: emulated("the whole image as an event"),
  partialImages: ignored,
  inputFidelity: ignored,
  edits: carried,
  imageUrl: fetched,
  mask: refused("Gemini takes no mask. Say in the prompt what to change."),
  maxInputImages: 14,
  otherFields: ignored,
};

/** Imagen, whose models are asked by `:predict`. */
const ofImagen: ImagesCapabilities = {
  ...ofGemini,
  n: carried,
  maxImages: 4,
  size: emulated("the nearest aspect ratio, and a resolution of 1K or 2K"),
  formats: { png: carried, jpeg: carried, webp: refused("Imagen makes PNG and JPEG only.") },
  outputCompression: carried,
  transparent: refused("Imagen makes no transparent images."),
  edits: refused("Imagen edits no images."),
  mask: refused("Imagen edits no images."),
};

/** Room for the answer of each call, in bytes, and for all of them. */
const maxBytesPerCall = 24 << 20;
const maxBytesOfAll = 96 << 20;

function isImagen(model: string): boolean {
  return /\bimagen\b/i.test(model);
}

/** Puts a request to `:generateContent`, or to `:predict` if the model is an Imagen. */
export const imagesProvider: ImagesProvider = {
  capabilities: (model) => (isImagen(model) ? ofImagen : ofGemini),
  columns: [
    { title: "gemini", capabilities: ofGemini },
    { title: "gemini, `imagen-*`", capabilities: ofImagen },
  ],
  exchange(request, { model }) {
    if (!isImagen(model)) return generateCall(request, model, fitImages(request, ofGemini));
    return {
      request: post(`${modelPath(model)}:predict`, JSON.stringify(encodePredict(request))),
      warnings: fitImages(request, ofImagen),
      readError: decodeGeminiError,
      read: (body) => readPredicted(body, request.n),
    };
  },
};

/** A model makes one image in an answer: more are asked for by calls of their own, of which some may fail. */
function generateCall(request: ImagesRequest, model: string, warnings: readonly string[]): ImagesCall {
  const { n } = request;
  const asked = post(`${modelPath(model)}:generateContent`, encodeGenerate(request));
  const common = { request: asked, warnings, readError: decodeGeminiError };
  if (n === 1) return { ...common, read: (body) => readGenerated([body]) };
  let outcomes: readonly CallOutcome[] = [];
  return {
    ...common,
    calls: {
      requests: Array.from({ length: n }, () => asked),
      maxBytes: Math.min(n * maxBytesPerCall, maxBytesOfAll),
      isAnswer: () => false,
      take: (taken) => (outcomes = taken),
    },
    read() {
      const isGood = ({ status }: CallOutcome) => status !== null && status >= 200 && status <= 299;
      return readGenerated(outcomes.filter(isGood).flatMap(({ body }) => (body === null ? [] : [body])));
    },
  };
}

function post(path: string, body: UpstreamRequest["body"]): UpstreamRequest {
  return { dialect: "gemini", method: "POST", path, headers: { "content-type": "application/json" }, body };
}
