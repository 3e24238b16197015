import { isObject, type JsonObject } from "../../json/values.ts";

/** A file of the gateway's, as it is put into a request. */
export interface InlineFile {
  readonly filename: string;
  /** By its first bytes. */
  readonly contentType: string;
  readonly base64: string;
}

/** A file that an object of a request names. */
export interface NamedFile {
  readonly id: string;
  /** The field of the object that has the id. */
  readonly field: string;
}

/** How requests of a dialect name files of the gateway's, and how they hold them in place. */
export interface FileForm {
  /** The top-level members that may name files. */
  readonly members: readonly string[];
  /** The members of objects within them that hold what may name files. */
  readonly nested: readonly string[];
  /** The file that an object names; null if it names none of the gateway's. */
  readonly named: (object: JsonObject) => NamedFile | null;
  /** The object with the file in place of its name. Throws a 400 that names `path`, the place of the id. */
  readonly inline: (object: JsonObject, file: InlineFile, path: string) => JsonObject;
}

/** Makes another object of one that names a file. `path` is the place of the id. */
type Replace = (object: JsonObject, file: NamedFile, path: string) => JsonObject;

/** A value with every object that names a file replaced. What has no such object in it stays the same object. */
export function mapFiles(value: unknown, path: string, form: FileForm, replace: Replace): unknown {
  if (Array.isArray(value)) return mapItems(value, path, form, replace);
  if (!isObject(value)) return value;
  const file = form.named(value);
  if (file !== null) return replace(value, file, `${path}.${file.field}`);
  let mapped: JsonObject = value;
  for (const name of form.nested) {
    const member = value[name];
    if (typeof member !== "object" || member === null) continue;
    const replaced = mapFiles(member, `${path}.${name}`, form, replace);
    if (replaced !== member) mapped = { ...mapped, [name]: replaced };
  }
  return mapped;
}

function mapItems(items: readonly unknown[], path: string, form: FileForm, replace: Replace): readonly unknown[] {
  let mapped: unknown[] | null = null;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const replaced = mapFiles(item, `${path}[${index}]`, form, replace);
    if (replaced === item) continue;
    mapped ??= [...items];
    mapped[index] = replaced;
  }
  return mapped ?? items;
}
