import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/transport.ts";

/** What the page reads of the OpenAPI document. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const documentQuery = queryOptions({
  queryKey: ["openapi"],
  staleTime: Infinity,
  queryFn: async () => (await (await send("/api/openapi.json")).json()) as ApiDocument,
});

/** One method of one path. */
export interface ApiPath {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

const methods = ["get", "post", "put", "patch", "delete"];

export function pathsOf({ paths }: ApiDocument): readonly ApiPath[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (!operation) return [];
      const ofPath = (item["parameters"] ?? []) as readonly Parameter[];
      return [
        { method: method.toUpperCase(), path, operation, parameters: [...ofPath, ...(operation.parameters ?? [])] },
      ];
    }),
  );
}

/** What a reference leads to, and its name. */
export function resolve(
  schema: Schema,
  document: ApiDocument,
): { readonly name: string | null; readonly schema: Schema } {
  const name = schema.$ref?.split("/").at(-1);
  if (name === undefined) return { name: null, schema };
  return { name, schema: document.components.schemas[name] ?? {} };
}

/** The type of a schema in a few words. */
export function typeOf(schema: Schema, document: ApiDocument): string {
  const { name, schema: shown } = resolve(schema, document);
  if (name !== null) return name;
  if (shown.const !== undefined) return JSON.stringify(shown.const);
  if (shown.enum) return shown.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = shown.anyOf ?? shown.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, document)))].join(" | ");
  if (shown.type === "array") return `${typeOf(shown.items ?? {}, document)}[]`;
  return Array.isArray(shown.type) ? shown.type.join(" | ") : String(shown.type ?? "any");
}
