import { GatewayError, invalidRequest, notFound } from "../../errors.ts";
import { scanTopLevel, withMembers } from "../../json/top-level.ts";
import type { JsonObject } from "../../json/values.ts";
import { stringifyInSteps } from "../../json/stringify-in-steps.ts";
import { nextTurn } from "../../next-turn.ts";
import type { Model } from "../../routing/names/model.ts";
import type { ReadContext } from "../operation.ts";
import type { UploadedFile } from "../uploaded-files.ts";
import { type FileForm, type InlineFile, mapFiles } from "./file-form.ts";
import { readBase64 } from "./read-base64.ts";

/** All files of one request together, each as often as it is named. */
export const maxInlineBytes = 32 << 20;
/** Different files of one request. */
const maxFiles = 100;

/** What inlining needs to know of a request. */
export type FileContext = Pick<ReadContext, "files" | "hold" | "identity">;

/** A value that may name files, and its place in the caller's body. */
export interface FilePlace {
  readonly value: unknown;
  readonly path: string;
}

/** The largest of the files that a request names. */
export interface LargestFile {
  /** Of the file itself. */
  readonly bytes: number;
  /** The place of its id in the caller's body. */
  readonly path: string;
}

/** Values with files in them, in the order in which they were given. */
export interface Inlined {
  readonly values: readonly unknown[];
  /** Null if they name no file. */
  readonly largest: LargestFile | null;
}

/**
 * The values with the caller's files in place of their ids. A value that names none stays the same object. Throws a 404 that
 * names the field if the account has no such file, a 413 if the files are too large together, and a 400 if the dialect has no
 * place for what is in one.
 */
export async function withFiles(places: readonly FilePlace[], form: FileForm, context: FileContext): Promise<Inlined> {
  const paths = new Map<string, string[]>();
  for (const { value, path } of places) {
    mapFiles(value, path, form, (object, { id }, idPath) => {
      const known = paths.get(id);
      if (known) known.push(idPath);
      else paths.set(id, [idPath]);
      return object;
    });
  }
  if (paths.size === 0) return { values: places.map(({ value }) => value), largest: null };
  const { files, largest } = await readFiles(paths, context);
  const values = places.map(({ value, path }) =>
    mapFiles(value, path, form, (object, { id }, idPath) => {
      const file = files.get(id);
      return file ? form.inline(object, file, idPath) : object;
    }),
  );
  return { values, largest };
}

/** A body as text and parsed. */
export interface WrittenBody {
  readonly text: string;
  readonly body: JsonObject;
}

/** A body with the caller's files in place of their ids: all other text stays as it was written. Throws as `withFiles` does. */
export async function inlineFiles(
  written: WrittenBody,
  form: FileForm,
  context: FileContext,
): Promise<WrittenBody & Pick<Inlined, "largest">> {
  const places = form.members.map((path) => ({ path, value: written.body[path] }));
  const { values, largest } = await withFiles(places, form, context);
  const changed = places.flatMap(({ path, value }, index) => (values[index] === value ? [] : [[path, values[index]]]));
  const whole = changed.length === 0 ? written : await withValues(written, Object.fromEntries(changed));
  return { ...whole, largest };
}

/** A body with other values of some top-level members that it has. */
export async function withValues({ text, body }: WrittenBody, values: JsonObject): Promise<WrittenBody> {
  const replacements: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) replacements[name] = await stringifyInSteps(value);
  const { members } = scanTopLevel(text, new Set(Object.keys(values)));
  await nextTurn();
  const whole = withMembers(text, members, replacements);
  // The engine joins the pieces once a character is asked for: here, in a turn of its own.
  whole.charCodeAt(0);
  await nextTurn();
  return { text: whole, body: { ...body, ...values } };
}

/** Reads the files, by their ids. `paths` are the places that name each. */
async function readFiles(
  paths: ReadonlyMap<string, readonly string[]>,
  { files, hold, identity }: FileContext,
): Promise<{ readonly files: ReadonlyMap<string, InlineFile>; readonly largest: LargestFile | null }> {
  const { accountId } = identity.key;
  const found = new Map<string, UploadedFile>();
  let total = 0;
  let largest: LargestFile | null = null;
  for (const [id, [path = "", ...others]] of paths) {
    if (found.size === maxFiles) {
      throw invalidRequest("invalid_parameter", `A request can name at most ${maxFiles} files.`, path);
    }
    const file = await files.open(accountId, id).catch((error: unknown) => {
      throw error instanceof GatewayError && error.status === 404
        ? notFound("file_not_found", error.message, path)
        : error;
    });
    total += file.size * (1 + others.length);
    if (total > maxInlineBytes) throw tooLarge(path);
    if (largest === null || file.size > largest.bytes) largest = { bytes: file.size, path };
    found.set(id, file);
  }
  hold.addBodyBytes(Math.ceil((total * 4) / 3));
  const read = new Map<string, InlineFile>();
  for (const [id, { filename, contentType, stream }] of found) {
    read.set(id, { filename, contentType, base64: await readBase64(stream()) });
  }
  return { files: read, largest };
}

function tooLarge(path: string): GatewayError {
  const message = `The files that this request names are larger than ${maxInlineBytes} bytes together.`;
  return GatewayError.of("body_too_large", message, { param: path });
}

/** Refuses a file that is larger than a model reads (`parameters.max_file_bytes`). Throws a 413 that names the field. */
export function checkFileSize(largest: LargestFile | null | undefined, { id, parameters }: Model): void {
  const { max_file_bytes: maxBytes } = parameters;
  if (!largest || typeof maxBytes !== "number" || largest.bytes <= maxBytes) return;
  const message = `The model '${id}' reads files of at most ${maxBytes} bytes.`;
  throw GatewayError.of("body_too_large", message, { param: largest.path });
}
