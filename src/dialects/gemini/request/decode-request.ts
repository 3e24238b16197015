import type { VendorFieldName } from "../../../conversation/fields/fields.ts";
import type { ConversationRequest, ServiceTier } from "../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../../json/values.ts";
import type { RequestAddress } from "../../codec.ts";
import { optionalString } from "../../fields/read-field.ts";
import { decodeContents, decodeSystemInstruction } from "./decode-contents.ts";
import { decodeGenerationConfig } from "./decode-generation-config.ts";
import { readField, type RequestNotes } from "./decode-part.ts";
import { decodeToolConfig, decodeTools } from "./decode-tools.ts";
import { bareModelName, itemsOf, openFields, snakeCase, type Field, type FieldReader } from "../fields.ts";
import { spellingOf } from "../spelling.ts";

/**
 * Reads the body of `POST /v1beta/models/{model}:generateContent` or `:streamGenerateContent`, which are in `address`.
 * Throws a 400 naming the field that cannot be understood.
 */
export function decodeGeminiRequest(body: JsonObject, address: RequestAddress = {}): ConversationRequest {
  refuseOtherCase(body, knownNames);
  const fields = openFields(body);
  const notes: RequestNotes = { unknown: [] };
  const model = address.model ?? readField(fields.get("model"), optionalString);
  fields.get("model");
  if (model === undefined || model === "") throw missingParameter("model");
  const system = decodeSystemInstruction(fields.get("systemInstruction"), notes);
  const contents = decodeContents(fields.get("contents"), notes);
  const tools = decodeTools(fields.get("tools"), notes);
  const toolConfig = decodeToolConfig(fields.get("toolConfig"));
  const config = decodeGenerationConfig(fields.get("generationConfig"));
  const serviceTier = decodeServiceTier(fields.get("serviceTier"));
  const vendorFields = [...decodeVendorFields(fields), ...config.vendorFields];
  if (toolConfig.options !== undefined) vendorFields.push(["google.toolOptions", toolConfig.options]);
  const unknownFields = [...notes.unknown, ...fields.unread()];
  return {
    model: bareModelName(model),
    stream: address.stream ?? false,
    messages: [...system, ...contents],
    tools,
    toolChoice: toolConfig.choice,
    ...config.settings,
    serviceTier,
    vendorFields: vendorFields.length === 0 ? undefined : Object.fromEntries(vendorFields),
    unknownFields: unknownFields.length === 0 ? undefined : unknownFields,
    spelling: spellingOf(body),
  };
}

/** Top-level fields of Google's own, and what the neutral form calls them. */
export const bodyVendorFields = [
  ["safetySettings", "google.safetySettings"],
  ["continuationToken", "google.continuationToken"],
  ["cachedContent", "google.cachedContent"],
  ["labels", "google.labels"],
  ["store", "google.store"],
] as const satisfies readonly (readonly [string, VendorFieldName])[];

const ownNames = "model contents systemInstruction tools toolConfig generationConfig serviceTier".split(" ");
const camelNames = [...ownNames, ...bodyVendorFields.map(([name]) => name)];
const knownNames = fieldNames([...camelNames, ...camelNames.map(snakeCase)]);

function decodeVendorFields(fields: FieldReader): (readonly [VendorFieldName, unknown])[] {
  return bodyVendorFields.flatMap(([name, vendorField]) => {
    const { value } = fields.get(name);
    // `store: false` is what its absence means.
    const unsaid = value === undefined || value === null || (name === "store" && value === false);
    if (unsaid) return [];
    return [[name === "safetySettings" && !blocks(value) ? "google.safetyOff" : vendorField, value] as const];
  });
}

const blocksNothing: ReadonlySet<unknown> = new Set([
  "OFF",
  "BLOCK_NONE",
  "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
  undefined,
]);

/** Whether any of the thresholds may block an answer. */
function blocks(settings: unknown): boolean {
  return listOrEmpty(itemsOf(settings)).some((setting) => !isObject(setting) || !blocksNothing.has(setting.threshold));
}

function decodeServiceTier(field: Field): ServiceTier | undefined {
  const tier = readField(field, optionalString)?.toLowerCase();
  if (tier === undefined || tier === "unspecified" || tier === "") return undefined;
  if (tier === "flex" || tier === "standard" || tier === "priority") return tier;
  throw invalidParameter(field.path, "one of unspecified, flex, standard, priority");
}
