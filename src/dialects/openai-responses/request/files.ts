import { dataUrl } from "../../../conversation/data-url.ts";
import { unsupportedParameter } from "../../../errors.ts";
import { isFileId } from "../../../files/file-id.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { FileForm, InlineFile } from "../../../operations/files/file-form.ts";

/** Parts that name files, and the field in which each can hold one. */
const holders: Readonly<Record<string, "image_url" | "file_data">> = {
  input_image: "image_url",
  computer_screenshot: "image_url",
  input_file: "file_data",
};

/** `input_image` and `input_file` with the `file_id` of a file of the gateway's. */
export const responsesFiles: FileForm = {
  members: ["input"],
  nested: ["content", "output"],
  named({ type, file_id: id }) {
    return isFileId(id) && holders[String(type)] !== undefined ? { id, field: "file_id" } : null;
  },
  inline(part, file, path) {
    const named = { ...part };
    delete named.file_id;
    const url = dataUrl(file.contentType, file.base64);
    if (holders[String(part.type)] === "file_data") {
      refuseUnknown(file, path);
      return { ...named, filename: part.filename ?? file.filename, file_data: url };
    }
    if (!file.contentType.startsWith("image/")) {
      throw unsupportedParameter(path, `The file '${file.filename}' is no image.`);
    }
    return { ...named, image_url: url };
  },
};

function refuseUnknown({ contentType, filename }: InlineFile, path: string): void {
  if (contentType !== "application/octet-stream") return;
  throw unsupportedParameter(path, `The file '${filename}' is of no type that models read.`);
}

/** Refuses tools that are to work on files of the gateway's, which no provider has. Throws a 400 that names the field. */
export function refuseFilesOfTools({ tools }: JsonObject): void {
  listOrEmpty(tools).forEach((tool, index) => {
    if (!isObject(tool) || !isObject(tool.container)) return;
    if (!listOrEmpty(tool.container.file_ids).some(isFileId)) return;
    const path = `tools[${index}].container.file_ids`;
    throw unsupportedParameter(path, "Tools of the provider cannot read files that were uploaded here.");
  });
}
