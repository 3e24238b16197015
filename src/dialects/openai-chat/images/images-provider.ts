import { carried, emulated } from "../../../conversation/fields/support.ts";
import type { RequestBody } from "../../../http/request-body.ts";
import { withMembers } from "../../../json/top-level.ts";
import type { MultipartForm } from "../../../multipart/form.ts";
import { formBody, type SentPart } from "../../../multipart/write-form.ts";
import type {
  ImagesCapabilities,
  ImagesProvider,
  ImagesRequest,
  InputImage,
} from "../../../operations/images/images.ts";
import { fitImages } from "../../../operations/images/fit-images.ts";
import type { DialectName } from "../../exchange.ts";
import { JsonWithContents } from "../../pictures/json-body.ts";
import { readError } from "../errors.ts";
import { openImageEvents } from "./image-events.ts";
import { readImagesAnswer } from "./read-answer.ts";

const capabilities: ImagesCapabilities = {
  n: carried,
  maxImages: 10,
  size: carried,
  quality: carried,
  style: carried,
  background: carried,
  transparent: carried,
  moderation: carried,
  formats: { png: carried, jpeg: carried, webp: carried },
  outputCompression: carried,
  responseFormat: { url: carried, b64_json: carried },
  stream: carried,
  partialImages: carried,
  inputFidelity: carried,
  edits: carried,
  imageUrl: carried,
  mask: carried,
  maxInputImages: 16,
  otherFields: carried,
};

/** Models that answer with base64 always, and refuse to be asked how. */
const ofGptImages: ImagesCapabilities = {
  ...capabilities,
  responseFormat: { url: emulated("a link of the gateway"), b64_json: carried },
};

function isGptImage(model: string): boolean {
  return /\bgpt-image/i.test(model);
}

/** Puts a request to a provider of the same shape: as it was written, save the model's name. */
export function imagesProvider(dialect: DialectName): ImagesProvider {
  const capabilitiesOf = (model: string) => (isGptImage(model) ? ofGptImages : capabilities);
  return {
    capabilities: capabilitiesOf,
    columns: [
      { title: `${dialect}, \`gpt-image-*\``, capabilities: ofGptImages },
      { title: dialect, capabilities },
    ],
    exchange(request, { model }) {
      const warnings = fitImages(request, capabilitiesOf(model));
      const { body, contentType } = sentBody(request, model);
      return {
        request: {
          dialect,
          method: "POST",
          path: request.kind === "image_edit" ? "/images/edits" : "/images/generations",
          headers: { "content-type": contentType },
          body,
        },
        warnings,
        readError,
        read: readImagesAnswer,
        openStream: (isHidden) => openImageEvents(request, isHidden),
      };
    },
  };
}

function sentBody(request: ImagesRequest, model: string): { readonly body: RequestBody; readonly contentType: string } {
  const { sent } = request;
  const isDropped = request.responseFormat !== undefined && isGptImage(model);
  if (sent.kind === "form") return sentForm(sent.form, model, isDropped);
  const contentType = "application/json";
  if (sent.hasFileIds) return { body: withContents(request, model, isDropped), contentType };
  if (!isDropped) return { body: withMembers(sent.text, sent.members, { model: JSON.stringify(model) }), contentType };
  const { response_format: _dropped, ...fields } = request.fields;
  const { images, mask } = request;
  if (request.kind === "image_generation") return { body: JSON.stringify({ ...fields, model }), contentType };
  if ([...images, ...(mask ? [mask] : [])].some(({ source }) => source.type === "content")) {
    return { body: withContents(request, model, isDropped), contentType };
  }
  const urls = { images: images.map(urlOf), ...(mask && { mask: urlOf(mask) }) };
  return { body: JSON.stringify({ ...fields, model, ...urls }), contentType };
}

function urlOf({ source }: InputImage) {
  return { image_url: source.type === "url" ? source.url : "" };
}

/** JSON in which files that the gateway has are written out. */
function withContents(request: ImagesRequest, model: string, isDropped: boolean): RequestBody {
  const json = new JsonWithContents();
  const written = ({ source }: InputImage) => {
    if (source.type === "url") return { image_url: source.url };
    return { image_url: `data:${source.content.contentType};base64,${json.place(source.content)}` };
  };
  const { response_format: responseFormat, ...fields } = request.fields;
  const value = {
    ...fields,
    ...(!isDropped && responseFormat !== undefined && { response_format: responseFormat }),
    model,
    images: request.images.map(written),
    ...(request.mask && { mask: written(request.mask) }),
  };
  return json.body(value, request.prompt);
}

function sentForm(form: MultipartForm, model: string, isDropped: boolean) {
  const parts: SentPart[] = [{ name: "model", value: model }];
  for (const name of form.names) {
    if (name === "model" || (isDropped && name === "response_format")) continue;
    if (name === "image" || name === "mask") {
      const files = form.files(name);
      const sentAs = files.length > 1 ? `${name}[]` : name;
      parts.push(
        ...files.map(({ filename, contentType, size, stream }) => ({
          name: sentAs,
          filename,
          contentType,
          size,
          stream,
        })),
      );
      continue;
    }
    const values = form.fields(name);
    const sentAs = values.length > 1 ? `${name}[]` : name;
    parts.push(...values.map((value) => ({ name: sentAs, value })));
  }
  return formBody(parts);
}
