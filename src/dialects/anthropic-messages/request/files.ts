import { unsupportedParameter } from "../../../errors.ts";
import { isFileId } from "../../../files/file-id.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { FileForm, InlineFile } from "../../../operations/files/file-form.ts";

/** `image` and `document` blocks whose source is a file of the gateway's. */
export const messagesFiles: FileForm = {
  members: ["messages"],
  // A document may be made of blocks, which are in its source.
  nested: ["content", "source"],
  named({ type, source, file_id: own }) {
    if (type === "container_upload") return isFileId(own) ? { id: own, field: "file_id" } : null;
    if (!isObject(source) || source.type !== "file") return null;
    const { file_id: id } = source;
    return isFileId(id) ? { id, field: "source.file_id" } : null;
  },
  inline(block, file, path) {
    switch (block.type) {
      case "image":
        if (file.contentType.startsWith("image/")) return { ...block, source: base64Source(file) };
        throw unsupportedParameter(path, `The file '${file.filename}' is no image.`);
      case "document":
        return { ...block, source: documentSource(file, path) };
      default:
        throw unsupportedParameter(path, "Files that were uploaded here can be images and documents only.");
    }
  },
};

function base64Source({ contentType, base64 }: InlineFile): JsonObject {
  return { type: "base64", media_type: contentType, data: base64 };
}

function documentSource(file: InlineFile, path: string): JsonObject {
  const { contentType, base64, filename } = file;
  if (contentType === "application/pdf") return base64Source(file);
  if (contentType.startsWith("text/")) {
    return { type: "text", media_type: "text/plain", data: Buffer.from(base64, "base64").toString() };
  }
  throw unsupportedParameter(path, `Documents are PDF or text, and the file '${filename}' is neither.`);
}
