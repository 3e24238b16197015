import { type GatewayError, invalidParameter, missingParameter, unsupportedParameter } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { type Member, scanTopLevel } from "../../../json/top-level.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { EmbeddingsRequest } from "../../../operations/embeddings.ts";
import { readModelName } from "../../fields/model-name.ts";
import { optionalInteger, optionalString, requiredList, requiredObject } from "../../fields/read-field.ts";
import { bareModelName, itemsOf, openFields, type FieldReader } from "../fields.ts";

/** A request of Google's for embeddings, in the neutral form, and as it was written. */
export interface GeminiEmbeddings extends EmbeddingsRequest {
  /** As the caller wrote it. `body` and `text` are the same request in OpenAI's shape. */
  readonly written: { readonly text: string; readonly body: JsonObject; readonly members: readonly Member[] };
  /** Whether it is one content (`:embedContent`) or a batch (`:batchEmbedContents`). */
  readonly isBatch: boolean;
  /** Paths of fields that only Google's providers understand, and that the vectors are good without. */
  readonly ownFields: readonly string[];
  /** The error for providers of other dialects if the request needs Google's; null if it does not. */
  readonly obstacle: GatewayError | null;
}

/** Gathered beside the contents while a request is read. */
type Notes = { -readonly [Name in "obstacle"]: GeminiEmbeddings[Name] } & { readonly ownFields: string[] };

/** One content as it is to be embedded. */
interface Content {
  readonly text: string;
  readonly dimensions: number | undefined;
}

const maxContents = 2_048;
const modelOnly: ReadonlySet<string> = new Set(["model"]);

const batchFields = fieldNames(["requests"]);
const contentFields = fieldNames(["model", "content", "outputDimensionality", "output_dimensionality"]);

/**
 * Reads the body of `:embedContent` or `:batchEmbedContents`.
 * @param model as the URL names it. Throws a 400 that names the field.
 */
export function readGeminiEmbeddings(text: string, model: string, isBatch: boolean): GeminiEmbeddings {
  const { body, members } = readJsonObject(text, modelOnly);
  const notes: Notes = { ownFields: [], obstacle: null };
  const contents = isBatch ? readBatch(body, model, notes) : [readContent(body, "", model, notes)];
  const dimensions = contents[0]?.dimensions;
  if (contents.some((content) => content.dimensions !== dimensions)) {
    notes.obstacle ??= invalidParameter("requests[].outputDimensionality", "the same number in all requests");
  }
  const input = contents.map((content) => content.text);
  readModelName(model);
  let neutral: Pick<EmbeddingsRequest, "text" | "body" | "members"> | null = null;
  // Most requests go to Google as they were written.
  const inOpenaisShape = () => {
    if (neutral !== null) return neutral;
    const shaped = { model, input, dimensions, encoding_format: "float" };
    const written = JSON.stringify(shaped);
    return (neutral = { text: written, body: shaped, members: scanTopLevel(written, modelOnly).members });
  };
  return {
    model,
    stream: false,
    get text() {
      return inOpenaisShape().text;
    },
    get body() {
      return inOpenaisShape().body;
    },
    get members() {
      return inOpenaisShape().members;
    },
    inputs: input,
    dimensions,
    encoding: "float",
    written: { text, body, members },
    isBatch,
    ...notes,
  };
}

function readBatch(body: JsonObject, model: string, notes: Notes): Content[] {
  refuseOtherCase(body, batchFields);
  const fields = openFields(body);
  const { value, path } = fields.get("requests");
  const requests = requiredList(value, path);
  if (requests.length === 0 || requests.length > maxContents) throw invalidParameter(path, `1 to ${maxContents} items`);
  notes.ownFields.push(...fields.unread());
  return requests.map((request, index) => {
    if (!isObject(request)) throw invalidParameter(`${path}[${index}]`, "an object");
    return readContent(request, `${path}[${index}]`, model, notes);
  });
}

function readContent(request: JsonObject, path: string, model: string, notes: Notes): Content {
  refuseOtherCase(request, contentFields);
  const fields = openFields(request, path);
  const named = readAt(fields, "model", optionalString);
  if (named !== undefined && bareModelName(named) !== bareModelName(model)) {
    throw invalidParameter(fields.get("model").path, `the model of the URL, models/${bareModelName(model)}`);
  }
  const content = fields.get("content");
  if (content.value === undefined) throw missingParameter(content.path);
  const text = readText(requiredObject(content.value, content.path), content.path, notes);
  const dimensions = readAt(fields, "outputDimensionality", optionalInteger);
  if (dimensions !== undefined && dimensions < 1) {
    throw invalidParameter(fields.get("outputDimensionality").path, "a whole number of at least 1");
  }
  notes.ownFields.push(...fields.unread());
  return { text, dimensions };
}

function readText(content: JsonObject, path: string, notes: Notes): string {
  const partsPath = `${path}.parts`;
  let text = "";
  requiredList(itemsOf(content.parts), partsPath).forEach((part, index) => {
    const at = `${partsPath}[${index}]`;
    if (!isObject(part)) throw invalidParameter(at, "an object");
    text += optionalString(part.text, `${at}.text`) ?? "";
    const other = Object.keys(part).find((name) => name !== "text" && part[name] !== null);
    if (other !== undefined) {
      notes.obstacle ??= unsupportedParameter(`${at}.${other}`, "This model embeds texts only.");
    }
  });
  if (text === "") notes.obstacle ??= invalidParameter(partsPath, "a text that is not empty");
  return text;
}

function readAt<Value>(fields: FieldReader, name: string, read: (value: unknown, path: string) => Value): Value {
  const { value, path } = fields.get(name);
  return read(value, path);
}
