/** Writes `web/api/schema.ts`: the types of the paths that the console asks, from the OpenAPI document. */
import { join } from "node:path";
import { dialects } from "../src/dialects/registry.ts";
import { openApiDocument } from "../src/endpoints/openapi/document.ts";
import { createPathTable } from "../src/endpoints/path-table.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };

/** The console asks the gateway's own paths alone. The explorer's calls to vendors' paths have bodies of its own. */
const ownPath = /^\/api\/(?!openapi)/;
const methods = ["get", "put", "post", "delete", "patch"];

/** The text of the file. */
export function consoleSchema(): string {
  const { entries } = createPathTable(dialects);
  const described = entries.map(({ path, handlers, operations }) => {
    return { path, methods: Object.keys({ ...handlers, ...operations }) };
  });
  const document = openApiDocument(described.filter(({ path }) => ownPath.test(path)));
  const paths = Object.entries(document.paths as Record<string, PathItem>);
  const schemas = Object.entries(document.components.schemas as Record<string, Schema>);
  return [
    "// Made from the OpenAPI document by scripts/console-schema.ts.",
    "",
    "export interface Schemas {",
    ...schemas.map(([name, schema]) => `  ${name}: ${typeOf(schema)};`),
    "}",
    "",
    "export interface paths {",
    ...paths.map(([path, item]) => `  ${JSON.stringify(path)}: ${typeOfPath(item)};`),
    "}",
    "",
  ].join("\n");
}

function typeOfPath(item: PathItem): string {
  const operations = methods.map((method) => {
    const operation = item[method];
    return operation ? `${method}: ${typeOfOperation(operation, item.parameters ?? [])}` : `${method}?: never`;
  });
  return `{ ${operations.join("; ")} }`;
}

function typeOfOperation({ parameters = [], requestBody, responses }: Operation, ofPath: readonly Parameter[]): string {
  const all = [...ofPath, ...parameters];
  const fields = (place: string) => all.filter((parameter) => parameter.in === place).map(typeOfParameter);
  const [path, query] = [fields("path"), fields("query")];
  const named = [
    query.length > 0 ? `query?: { ${query.join("; ")} }` : "query?: never",
    path.length > 0 ? `path: { ${path.join("; ")} }` : "path?: never",
  ];
  const body = requestBody && typeOfContent(requestBody.content);
  const bodyField = body ? [`requestBody${requestBody.required === false ? "?" : ""}: { content: ${body} }`] : [];
  const answers = Object.entries(responses).map(([status, { content }]) => {
    return `${status}: { content: ${content ? typeOfContent(content) : '{ "application/json": Schemas["Error"] }'} }`;
  });
  return `{ ${[`parameters: { ${named.join("; ")} }`, ...bodyField, `responses: { ${answers.join("; ")} }`].join("; ")} }`;
}

function typeOfParameter({ name, required, schema, in: place }: Parameter): string {
  return `${JSON.stringify(name)}${required === true || place === "path" ? "" : "?"}: ${typeOf(schema)}`;
}

function typeOfContent(content: Content): string {
  return `{ ${Object.entries(content)
    .map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema)}`)
    .join("; ")} }`;
}

/** The TypeScript type of a JSON Schema. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `Schemas[${JSON.stringify(schema.$ref.split("/").at(-1))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].map((type) => `(${type})`).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `(${schema.items ? typeOf(schema.items) : "unknown"})[]`;
    case "object":
      return typeOfObject(schema);
    default:
      return "unknown";
  }
}

function typeOfObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    return `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`;
  });
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const isMap = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
  return `{ [name: string]: ${isMap ? typeOf(additionalProperties) : "unknown"} }`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, "../web/api/schema.ts"), consoleSchema());
