import type { Content } from "../blobs/content.ts";
import { invalidRequest, missingParameter } from "../errors.ts";

/** A file of a form. It can be read until the request has ended. */
export interface FormFile extends Content {
  /** The name that its sender gave it, without a path. */
  readonly filename: string;
  /** By its first bytes, not by what its sender says. */
  readonly contentType: string;
  /** As `stream`, without memory for each piece: one is good until the next one is asked for. */
  readonly pass: () => AsyncIterable<Uint8Array>;
  /** All of it. For files that are small by another bound: throws an `Error` above 64 MiB. */
  bytes(): Promise<Uint8Array>;
}

/** A field of a form. */
export interface FormField {
  /** `name[]` counts as `name`. */
  readonly name: string;
  /** As its sender wrote it. */
  readonly writtenName: string;
  readonly value: string;
}

/** The fields and files of a multipart body. `name[]` counts as `name`. */
export interface MultipartForm {
  /** In their order. */
  readonly allParts: readonly FormPart[];
  /** All parts that are no files, in their order. */
  readonly allFields: readonly FormField[];
  /** The names of all parts. */
  readonly names: ReadonlySet<string>;
  /** The value of a field; null if it is absent. Throws a 400 if there are several, or if it is a file. */
  field(name: string): string | null;
  /** The values of a field, in their order. Throws a 400 if one is a file. */
  fields(name: string): readonly string[];
  /** A file. Throws a 400 if there is none, if there are several, if it is a field, or if it is empty. */
  file(name: string): FormFile;
  /** The files of a name, in their order, not empty. Throws a 400 if one is a field or empty. */
  files(name: string): readonly FormFile[];
  /** A hash of all parts, which is the same however they were sent. */
  readonly digest: string;
}

/** A part that has been read. */
export type FormPart =
  | (FormField & { readonly kind: "field" })
  | { readonly kind: "file"; readonly name: string; readonly file: FormFile };

/** The form of these parts, in their order. */
export function createForm(parts: readonly FormPart[]): MultipartForm {
  const byName = Map.groupBy(parts, ({ name }) => name);
  const fields = (name: string): readonly string[] => {
    return (byName.get(name) ?? []).map((part) => {
      if (part.kind === "field") return part.value;
      throw invalidRequest("invalid_parameter", `Invalid value for '${name}': expected a text, and not a file.`, name);
    });
  };
  const files = (name: string): readonly FormFile[] => {
    return (byName.get(name) ?? []).map((part) => {
      if (part.kind === "field") {
        const message = `Invalid value for '${name}': expected a file, with a 'filename' in its Content-Disposition.`;
        throw invalidRequest("invalid_parameter", message, name);
      }
      if (part.file.size === 0) throw invalidRequest("invalid_parameter", `The file '${name}' is empty.`, name);
      return part.file;
    });
  };
  return {
    allParts: parts,
    allFields: parts.filter((part) => part.kind === "field"),
    names: new Set(byName.keys()),
    fields,
    files,
    field: (name) => single(name, fields(name)),
    file(name) {
      const file = single(name, files(name));
      if (file === null) throw missingParameter(name);
      return file;
    },
    digest: digestOf(parts),
  };
}

function single<Value>(name: string, values: readonly Value[]): Value | null {
  if (values.length <= 1) return values[0] ?? null;
  throw invalidRequest(
    "invalid_parameter",
    `Invalid value for '${name}': expected one, and not ${values.length}.`,
    name,
  );
}

function digestOf(parts: readonly FormPart[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const part of parts) {
    const told = part.kind === "field" ? [part.value] : [part.file.filename, part.file.sha256];
    hash.update(JSON.stringify([part.name, ...told]));
  }
  return hash.digest("hex");
}
