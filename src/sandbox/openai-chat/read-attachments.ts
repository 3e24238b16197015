import { listOrEmpty, objectOrEmpty } from "../json.ts";
import type { Attachment } from "../prompt.ts";
import { invalidValue } from "./check-value.ts";

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*;base64,([\s\S]*)$/;

/** The images, sounds and files of a message, described without fetching anything. Throws a 400 on a broken data URL. */
export function readAttachments(content: unknown, path: string): readonly Attachment[] {
  return listOrEmpty(content).flatMap((part, index) => readPart(objectOrEmpty(part), `${path}[${index}]`));
}

function readPart(part: Record<string, unknown>, path: string): Attachment[] {
  switch (part["type"]) {
    case "image_url":
      return [readImage(String(objectOrEmpty(part["image_url"])["url"]), `${path}.image_url.url`)];
    case "input_audio": {
      const { format, data } = objectOrEmpty(part["input_audio"]);
      return [{ kind: "audio", description: `${String(format)}, ${sizeOf(String(data), path)} bytes` }];
    }
    case "file": {
      const { filename, file_id: id } = objectOrEmpty(part["file"]);
      const name = [filename, id].find((one) => typeof one === "string") ?? "unnamed";
      return [{ kind: "file", description: name.slice(0, 200) }];
    }
    default:
      return [];
  }
}

/** Describes an image by its URL. */
export function readImage(url: string, path: string): Attachment {
  const [, mediaType = "", data = ""] = dataUrl.exec(url) ?? [];
  if (mediaType.startsWith("image/")) {
    return { kind: "image", description: `${mediaType}, ${sizeOf(data, path)} bytes` };
  }
  if (/^https?:\/\/\S+$/.test(url)) return { kind: "image", description: url.slice(0, 500) };
  throw invalidValue(
    path,
    `Invalid '${path}'. Expected an image's HTTP(S) URL or a base64 data URL.`,
    "invalid_image_url",
  );
}

/** The number of bytes of a base64 text. Throws a 400 if it is invalid. */
export function sizeOf(base64: string, path: string): number {
  if (base64 === "" || base64.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw invalidValue(path, `Invalid '${path}': the data is not valid base64.`, "invalid_base64");
  }
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
