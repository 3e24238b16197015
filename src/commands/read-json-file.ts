import { CommandFailure, exitCodes } from "./exit-codes.ts";

const maxBytes = 64 * 1024;

/** Reads a JSON file, or standard input for `-`. Throws if it cannot be read, is too large or is no JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readInput(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${nameOf(path)} is not valid JSON`, exitCodes.usage);
  }
}

/** Reads a small file of text, or standard input for `-`. Throws if it cannot be read or is too large. */
export async function readInput(path: string): Promise<string> {
  const file = path === "-" ? Bun.stdin : Bun.file(path);
  const bytes = await readAtMost(file.stream(), maxBytes + 1).catch((error: unknown) => {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandFailure(`${nameOf(path)} cannot be read (${reason})`);
  });
  if (bytes.length > maxBytes) {
    throw new CommandFailure(`${nameOf(path)} is larger than ${maxBytes} bytes`, exitCodes.usage);
  }
  return new TextDecoder().decode(bytes);
}

function nameOf(path: string): string {
  return path === "-" ? "standard input" : `the file ${path}`;
}

async function readAtMost(stream: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= max) break;
  }
  return Buffer.concat(chunks);
}
