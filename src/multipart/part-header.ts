import { invalidRequest, type GatewayError } from "../errors.ts";

/** The name of a part, and that of its file. */
export interface PartHeader {
  /** `name[]` counts as `name`. */
  readonly name: string;
  readonly writtenName: string;
  /** Without a path; null if the part is a field. */
  readonly filename: string | null;
}

/** Header lines of a part, by lower-case name, each byte a character. */
export type PartHeaderLines = Readonly<Record<string, readonly string[] | undefined>>;

const maxNameBytes = 128;
const maxFilenameLength = 255;

/** Reads the head of a part. Throws a 400 if it has no name, or one that cannot be that of a field. */
export function readPartHeader(lines: PartHeaderLines): PartHeader {
  const disposition = lines["content-disposition"]?.[0] ?? "";
  const parameters = readParameters(disposition);
  const name = parameters.get("name");
  if (!/^form-data\s*;/i.test(disposition) || name === undefined || name === "") {
    throw invalidForm("A part of the form has no name. Send 'Content-Disposition: form-data; name=\"...\"'.");
  }
  if (Buffer.byteLength(name) > maxNameBytes) {
    throw invalidForm(`The name of a part is longer than ${maxNameBytes} bytes.`, name.slice(0, 64));
  }
  if (/\p{Cc}/u.test(name)) throw invalidForm("The name of a part holds a control character.");
  const filename = extendedFilename(parameters.get("filename*")) ?? parameters.get("filename") ?? null;
  const isBytes = /^application\/octet-stream\s*(;|$)/i.test(lines["content-type"]?.[0] ?? "");
  return {
    name: name.replace(/\[\]$/, ""),
    writtenName: name,
    filename: filename !== null || isBytes ? plainFilename(filename ?? "") : null,
  };
}

/** A name of a file as text: without a path and control characters, and of bounded length. */
export function plainFilename(given: string): string {
  const name = given
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/^.*[/\\]/s, "")
    .trim();
  const short = Array.from(name.slice(0, 2 * maxFilenameLength))
    .slice(0, maxFilenameLength)
    .join("");
  return short === "" || short === "." || short === ".." ? "file" : short;
}

/** `; name="value"` or `; name=value`. */
const parameter = /;\s*([!#$%&'*+.^\w`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gs;

/** The parameters of a header's value, the first of each name. Browsers write `"` in a name as `%22`. */
function readParameters(value: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, bare] of value.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (parameters.has(key)) continue;
    const bytes = quoted === undefined ? (bare ?? "") : quoted.replace(/\\(["\\])/g, "$1");
    parameters.set(key, Buffer.from(bytes, "latin1").toString("utf8").replaceAll("%22", '"'));
  }
  return parameters;
}

/** A name as RFC 5987 writes it: `UTF-8''na%C3%AFve.txt`. Null if it is not so written. */
function extendedFilename(value: string | undefined): string | null {
  const encoded = /^utf-8'[\w-]*'(.*)$/is.exec(value ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** 400: the body is not the form that its content type promises. */
export function invalidForm(message: string, param: string | null = null): GatewayError {
  return invalidRequest("invalid_multipart", message, param);
}
