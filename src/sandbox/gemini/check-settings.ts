import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidArgument } from "./check-shape.ts";

/** Checks tools and settings of a request with the right shape. Throws Google's error. */
export function checkSettings(request: JsonObject, model: string): void {
  const functions = functionsOf(request);
  functions.forEach(checkFunction);
  const names = functions.map((declared) => declared["name"]);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalidArgument(`Duplicate function declaration found: ${JSON.stringify(twice)}`, "tools");
  checkCalling(objectOrEmpty(objectOrEmpty(request["toolConfig"])["functionCallingConfig"]), names);
  checkGeneration(objectOrEmpty(request["generationConfig"]), model);
}

/** The functions that a request declares. */
export function functionsOf(request: JsonObject): JsonObject[] {
  return listOrEmpty(request["tools"]).flatMap((tool) =>
    listOrEmpty(objectOrEmpty(tool)["functionDeclarations"]).map(objectOrEmpty),
  );
}

function checkFunction(declared: JsonObject, index: number): void {
  const path = `tools.function_declarations[${index}]`;
  if (typeof declared["name"] !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(declared["name"])) {
    throw invalidArgument(
      `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
      `${path}.name`,
    );
  }
  if (declared["parameters"] !== undefined && declared["parametersJsonSchema"] !== undefined) {
    throw invalidArgument(`${path}: parameters and parameters_json_schema are mutually exclusive.`, path);
  }
  const { parameters, parametersJsonSchema: full } = declared;
  if (parameters !== undefined) checkSubset(objectOrEmpty(parameters), `${path}.parameters`);
  if (full !== undefined) checkJsonSchema(full, `${path}.parameters_json_schema`);
}

/** Google's rules for its own schemas, beyond their shape. */
function checkSubset(schema: JsonObject, path: string): void {
  const properties = Object.entries(objectOrEmpty(schema["properties"]));
  if (schema["type"] === "OBJECT" && schema["properties"] !== undefined && properties.length === 0) {
    throw invalidArgument(`* ${path}.properties: should be non-empty for OBJECT type`, path);
  }
  if (schema["type"] === "ARRAY" && schema["items"] === undefined) {
    throw invalidArgument(`* ${path}.items: missing field.`, path);
  }
  for (const name of listOrEmpty(schema["required"])) {
    if (!properties.some(([known]) => known === name)) {
      throw invalidArgument(`* ${path}.required: property is not defined`, path);
    }
  }
  for (const [name, inner] of properties) checkSubset(objectOrEmpty(inner), `${path}.properties[${name}]`);
  if (isObject(schema["items"])) checkSubset(schema["items"], `${path}.items`);
}

/** Google's rules for JSON Schema: no `const`, nothing beside a `$ref`. */
function checkJsonSchema(schema: unknown, path: string): void {
  if (!isObject(schema)) return;
  if ("const" in schema) throw invalidArgument(`Unsupported schema keyword 'const' at '${path}'.`, path);
  if ("$ref" in schema && Object.keys(schema).some((keyword) => !keyword.startsWith("$"))) {
    throw invalidArgument(`A schema with '$ref' at '${path}' may have no other keywords.`, path);
  }
  if (typeof schema["$ref"] === "string" && !/^#(\/\$defs\/[^/]+)?$/.test(schema["$ref"])) {
    throw invalidArgument(`Unresolved reference '${schema["$ref"].slice(0, 100)}' at '${path}'.`, path);
  }
  for (const keyword of ["properties", "$defs"]) {
    for (const [name, inner] of Object.entries(objectOrEmpty(schema[keyword])))
      checkJsonSchema(inner, `${path}.${name}`);
  }
  for (const keyword of ["items", "additionalProperties"]) checkJsonSchema(schema[keyword], `${path}.${keyword}`);
  for (const keyword of ["anyOf", "oneOf", "prefixItems"]) {
    listOrEmpty(schema[keyword]).forEach((inner, index) => checkJsonSchema(inner, `${path}.${keyword}[${index}]`));
  }
}

function checkCalling({ mode, allowedFunctionNames }: JsonObject, declared: readonly unknown[]): void {
  const allowed = listOrEmpty(allowedFunctionNames);
  if (allowed.length === 0) return;
  if (mode !== "ANY" && mode !== "VALIDATED") {
    throw invalidArgument(
      "Function calling config: allowed_function_names needs the mode ANY or VALIDATED.",
      "tool_config",
    );
  }
  const stray = allowed.find((name) => !declared.includes(name));
  if (stray === undefined) return;
  throw invalidArgument(`allowed_function_names has ${JSON.stringify(stray)}, which is not declared.`, "tool_config");
}

const ranges: readonly (readonly [field: string, min: number, max: number])[] = [
  ["temperature", 0, 2],
  ["topP", 0, 1],
  ["topK", 1, 1_000],
  ["candidateCount", 1, 8],
  ["maxOutputTokens", 1, 1_000_000],
  ["logprobs", 0, 20],
  ["presencePenalty", -2, 2],
  ["frequencyPenalty", -2, 2],
];

function checkGeneration(config: JsonObject, model: string): void {
  for (const [field, min, max] of ranges) {
    const value = config[field];
    if (typeof value === "number" && (value < min || value > max)) {
      const range = `supported range is from ${min} (inclusive) to ${max} (inclusive)`;
      throw invalidArgument(`Unable to submit request because ${field} is ${value} but the ${range}.`, field);
    }
  }
  if (listOrEmpty(config["stopSequences"]).length > 5) {
    throw invalidArgument("Only up to 5 stop sequences are supported.", "generation_config.stop_sequences");
  }
  if (config["logprobs"] !== undefined && config["responseLogprobs"] !== true) {
    throw invalidArgument("logprobs is only supported with response_logprobs.", "generation_config.logprobs");
  }
  checkAnswerFormat(config);
  checkThinking(objectOrEmpty(config["thinkingConfig"]), model);
}

function checkAnswerFormat({ responseMimeType: mimeType, responseSchema, responseJsonSchema }: JsonObject): void {
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw invalidArgument("response_schema and response_json_schema are mutually exclusive.", "generation_config");
  }
  if (responseSchema === undefined && responseJsonSchema === undefined) return;
  if (mimeType !== "application/json" && mimeType !== "text/x.enum") {
    throw invalidArgument(
      "Function calling with a response schema needs the response_mime_type 'application/json' or 'text/x.enum'.",
      "generation_config.response_mime_type",
    );
  }
  if (responseSchema !== undefined) checkSubset(objectOrEmpty(responseSchema), "generation_config.response_schema");
  checkJsonSchema(responseJsonSchema, "generation_config.response_json_schema");
}

function checkThinking({ thinkingBudget: budget, thinkingLevel: level }: JsonObject, model: string): void {
  if (budget !== undefined && level !== undefined) {
    throw invalidArgument("You can only set only one of thinking budget and thinking level.", "generation_config");
  }
  const older = /gemini-(1|2)/.test(model);
  if (level !== undefined && older) {
    throw invalidArgument("Thinking level is not supported for this model.", "generation_config.thinking_config");
  }
  if (budget === 0 && (/gemini-2\.5-pro/.test(model) || (/gemini-/.test(model) && !older))) {
    throw invalidArgument(
      "Budget 0 is invalid. This model only works in thinking mode.",
      "generation_config.thinking_config",
    );
  }
}
