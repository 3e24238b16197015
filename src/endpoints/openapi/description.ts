import { z } from "zod";

/** A schema with the name under which the document has it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
  /** The input of the schema is described if it is what callers send, else its output. */
  readonly isInput?: true;
}

/** The answer of a path if all is well. */
export interface DescribedAnswer {
  /** 200 unless told. */
  readonly status?: number;
  readonly description: string;
  /** By media type. `{ page }` is a list of these, with `has_more` and `next`. */
  readonly content: Readonly<Record<string, NamedSchema | { readonly page: NamedSchema }>>;
}

/** One method of one path, as the OpenAPI document tells it. */
export interface Description {
  readonly summary: string;
  readonly tag: string;
  /** Who may ask. */
  readonly access: "anyone" | "key" | "admin";
  readonly query?: z.ZodObject;
  /** JSON unless it has another type. */
  readonly body?: NamedSchema & { readonly isOptional?: true; readonly contentType?: "multipart/form-data" };
  readonly answer: DescribedAnswer;
}

/** Descriptions by `METHOD path`, the path as the path table has it. */
export type Descriptions = Readonly<Record<string, Description>>;

export function input(name: string, schema: z.ZodType): NamedSchema {
  return { name, schema, isInput: true };
}

export function json(named: NamedSchema | { readonly page: NamedSchema }, description: string, status = 200) {
  return { status, description, content: { "application/json": named } };
}

/** A list as the paths of OpenAI give it, named `<name>List`. */
export function listOf({ name, schema }: NamedSchema): NamedSchema {
  return {
    name: `${name}List`,
    schema: z.looseObject({
      object: z.literal("list"),
      data: z.array(schema),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    }),
  };
}
