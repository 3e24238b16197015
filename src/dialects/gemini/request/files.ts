import { unsupportedParameter } from "../../../errors.ts";
import { isFileId } from "../../../files/file-id.ts";
import { isObject } from "../../../json/values.ts";
import type { FileForm } from "../../../operations/files/file-form.ts";
import { writtenName } from "../fields.ts";

/** `fileData` whose `fileUri` is a file of the gateway's: its id, `files/` and the id, or its address here. */
export const geminiFiles: FileForm = {
  members: ["contents", "generateContentRequest", "generate_content_request"],
  nested: ["contents", "parts", "functionResponse", "function_response"],
  named(part) {
    const name = writtenName(part, "fileData");
    const data = part[name];
    if (!isObject(data)) return null;
    const uri = writtenName(data, "fileUri");
    const id = fileIdOf(data[uri]);
    return id === null ? null : { id, field: `${name}.${uri}` };
  },
  inline(part, { contentType, filename, base64 }, path) {
    const { fileData, file_data: snake, ...others } = part;
    const data = isObject(fileData) ? fileData : isObject(snake) ? snake : {};
    const { mimeType, mime_type: said = mimeType, ...about } = data;
    if (contentType === "application/octet-stream") {
      throw unsupportedParameter(path, `The file '${filename}' is of no type that models read.`);
    }
    return {
      ...others,
      inlineData: {
        ...about,
        fileUri: undefined,
        file_uri: undefined,
        mimeType: typeOf(contentType, said),
        data: base64,
      },
    };
  },
};

/** A text may be of a kind that its first bytes do not tell. */
function typeOf(sniffed: string, said: unknown): string {
  if (sniffed !== "text/plain" || typeof said !== "string") return sniffed;
  return /^(text\/|application\/json$)/i.test(said) ? said : sniffed;
}

function fileIdOf(uri: unknown): string | null {
  if (typeof uri !== "string") return null;
  const id = uri.replace(/^(https?:\/\/[^/]+\/v1(beta)?\/)?files\//i, "").replace(/\/content$/, "");
  return isFileId(id) ? id : null;
}
