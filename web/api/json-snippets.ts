/** A request with a JSON body as code. */

type Body = Readonly<Record<string, unknown>>;

/** @param key the key, or what stands for it */
export function jsonSnippets(url: string, body: Body, key: string) {
  const shown = withoutFiles(body) as Body;
  const isStream = body["stream"] === true || url.includes(":streamGenerateContent");
  const file = isStream ? null : soundFile(url, body);
  return [
    { name: "curl", text: curl(url, shown, key, isStream, file) },
    { name: "Python", text: python(url, shown, key, isStream, file) },
    { name: "TypeScript", text: typescript(url, shown, key, isStream, file) },
  ] as const;
}

/** The file for an answer that is sound; null if it is text. */
function soundFile(url: string, { response_format: format = "mp3" }: Body): string | null {
  return url.endsWith("/v1/audio/speech") ? `speech.${String(format)}` : null;
}

function curl(url: string, body: Body, key: string, isStream: boolean, file: string | null): string {
  // A single quote ends a shell's literal.
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return `curl${isStream ? " -N" : ""}${file === null ? "" : ` -o ${file}`} ${shellText(url)} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`;
}

/** A text that a shell takes as it is, or in quotes. */
export function shellText(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function python(url: string, body: Body, key: string, isStream: boolean, file: string | null): string {
  const answer =
    file === null
      ? isStream
        ? `    for line in response:\n        print(line.decode(), end="")`
        : `    print(response.read().decode())`
      : `    open(${JSON.stringify(file)}, "wb").write(response.read())`;
  return `import json, urllib.request

body = ${pythonLiteral(body)}
request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(body).encode(),
    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
${answer}`;
}

function typescript(url: string, body: Body, key: string, isStream: boolean, file: string | null): string {
  const answer =
    file === null
      ? isStream
        ? `for await (const text of response.body!.pipeThrough(new TextDecoderStream())) process.stdout.write(text);`
        : `console.log(await response.json());`
      : `await writeFile(${JSON.stringify(file)}, new Uint8Array(await response.arrayBuffer()));`;
  return `${file === null ? "" : `import { writeFile } from "node:fs/promises";\n\n`}const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { Authorization: "Bearer ${key}", "Content-Type": "application/json" },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), "  ")}),
});
${answer}`;
}

/** A value of JSON as Python writes it. */
export function pythonLiteral(value: unknown, indent = ""): string {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    const items = value.map((item) => `${deeper}${pythonLiteral(item, deeper)},\n`);
    return items.length === 0 ? "[]" : `[\n${items.join("")}${indent}]`;
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    const lines = entries.map(([name, item]) => `${deeper}${JSON.stringify(name)}: ${pythonLiteral(item, deeper)},\n`);
    return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
  }
  // A text of JSON is one of Python, but for pairs of surrogates.
  return JSON.stringify(value);
}

function indented(text: string, indent: string): string {
  return text.replaceAll("\n", `\n${indent}`);
}

/** Files within a body would hide the rest of it: a word stands for them. */
function withoutFiles(value: unknown): unknown {
  if (typeof value === "string") return shortened(value);
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutFiles(item)]));
}

const minFileLength = 400;
const placeholder = "BASE64_OF_THE_FILE";

function shortened(text: string): string {
  if (text.length < minFileLength) return text;
  const [, prefix = ""] = /^(data:[^;,]+;base64,)/.exec(text) ?? [];
  return /^[A-Za-z0-9+/]+=*$/.test(text.slice(prefix.length)) ? `${prefix}${placeholder}` : text;
}
