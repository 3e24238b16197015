import { z } from "zod";
import { errorCatalogue } from "../../error-catalogue.ts";
import { version } from "../../version.ts";
import { backendPaths } from "./backend-paths.ts";
import { catalogPaths } from "./catalog-paths.ts";
import { callerPaths } from "./caller-paths.ts";
import type { Description, Descriptions, NamedSchema } from "./description.ts";
import { filePaths } from "./file-paths.ts";
import { videoPaths } from "./video-paths.ts";
import { operatorPaths } from "./operator-paths.ts";
import { fetchPaths } from "./fetch-paths.ts";
import { searchPaths } from "./search-paths.ts";
import { usagePaths } from "./usage-paths.ts";
import { vendorPaths } from "./vendor-paths.ts";

/** The descriptions of all paths. */
export const descriptions: Descriptions = {
  ...vendorPaths,
  ...searchPaths,
  ...fetchPaths,
  ...callerPaths,
  ...filePaths,
  ...videoPaths,
  ...usagePaths,
  ...operatorPaths,
  ...backendPaths,
  ...catalogPaths,
};

/** A path of the path table with its methods. */
export interface DescribedPath {
  readonly path: string;
  readonly methods: readonly string[];
}

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of these paths. Those without a description are left out: a test sees that there are none. */
export function openApiDocument(paths: readonly DescribedPath[]) {
  const schemas = new Map<string, Json>([["Error", schemaOf(errorObject, "output")]]);
  const byPath: Record<string, Json> = {};
  for (const { path, methods } of paths) {
    const parameters = parametersIn(path);
    for (const method of methods) {
      const description = descriptions[`${method} ${path}`];
      if (!description) continue;
      const item = (byPath[path.replaceAll("+}", "}")] ??= parameters.length > 0 ? { parameters } : {});
      item[method.toLowerCase()] = operationOf(method, path, description, schemas);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version,
      description:
        "A gateway in front of model providers: the vendors' own APIs, usage and billing, and administration.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths: byPath,
    components: {
      schemas: Object.fromEntries(schemas),
      responses: {
        Error: {
          description: "An error. On the vendors' paths it has the vendor's own format.",
          content: { "application/json": { schema: { anyOf: [reference("Error"), { type: "object" }] } } },
        },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        x_api_key: { type: "apiKey", in: "header", name: "x-api-key" },
        x_goog_api_key: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        query: { type: "apiKey", in: "query", name: "key" },
      },
    },
  };
}

/** A key may be sent in any of these ways. */
const anyKey = [{ bearer: [] }, { x_api_key: [] }, { x_goog_api_key: [] }, { query: [] }];

const errorTypes = [...new Set(Object.values(errorCatalogue).map(({ type }) => type))];

const errorObject = z.object({
  error: z.object({
    type: z.enum(errorTypes),
    message: z.string(),
    code: z.string().nullable(),
    param: z.string().nullable().meta({ description: "The path of the field at fault." }),
    request_id: z.string(),
  }),
});

function operationOf(method: string, path: string, description: Description, schemas: Map<string, Json>): Json {
  const { summary, tag, access, query, body, answer } = description;
  const refer = (named: NamedSchema) => register(named, schemas);
  const content = Object.entries(answer.content).map(([type, named]) => {
    return [type, { schema: "page" in named ? pageOf(refer(named.page)) : refer(named) }] as const;
  });
  return {
    operationId: operationId(method, path),
    summary: access === "admin" ? `${summary}. Needs an admin key.` : `${summary}.`,
    tags: [access === "admin" ? `admin: ${tag}` : tag],
    security: access === "anyone" ? [] : anyKey,
    ...(query && { parameters: queryParameters(query) }),
    ...(body && {
      requestBody: {
        required: body.isOptional !== true,
        content: { [body.contentType ?? "application/json"]: { schema: refer(body) } },
      },
    }),
    responses: {
      [String(answer.status ?? 200)]: { description: answer.description, content: Object.fromEntries(content) },
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

/** `GET /api/admin/keys/{id}` as `get_api_admin_keys_id`. */
function operationId(method: string, path: string): string {
  const words = path.match(/\w+/g) ?? ["home"];
  return [method.toLowerCase(), ...words].join("_");
}

/** The placeholders of a path; one with a `+` may have slashes in it. */
function parametersIn(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)(\+?)\}/g)].map(([, name, plus]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(plus === "+" ? { description: "May have slashes in it." } : {}),
  }));
}

function queryParameters(query: z.ZodObject): Json[] {
  return Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType, "output");
    const isOptional = (field as z.ZodType).safeParse(undefined).success;
    return { name, in: "query", required: !isOptional, ...(description === undefined ? {} : { description }), schema };
  });
}

/** Adds a schema to the components, once. Throws if two have the same name. */
function register(named: NamedSchema, schemas: Map<string, Json>): Json {
  const { name, schema, isInput } = named;
  const made = schemaOf(schema, isInput ? "input" : "output");
  const known = schemas.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(made)) throw new Error(`Two schemas are called ${name}.`);
  schemas.set(name, made);
  return reference(name);
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function pageOf(item: Json): Json {
  return {
    type: "object",
    required: ["object", "data", "has_more", "next"],
    properties: {
      object: { const: "list" },
      data: { type: "array", items: item },
      has_more: { type: "boolean" },
      next: { type: ["string", "integer", "null"], description: "The `after` of the page that follows." },
    },
  };
}

/** Answers may get more fields; what is sent may have no others than its schema says. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _draft, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ jsonSchema }) {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
  return made;
}
