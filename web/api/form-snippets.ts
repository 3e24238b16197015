import { pythonLiteral, shellText } from "./json-snippets.ts";

/** A request with a form as code. Files stand in it by their names. */
export function formSnippets(url: string, form: FormData, key: string) {
  const fields: [string, string][] = [];
  const files: [string, string][] = [];
  for (const [name, value] of form) {
    if (typeof value === "string") fields.push([name, value]);
    else files.push([name, value.name]);
  }
  return [
    { name: "curl", text: curl(url, fields, files, key) },
    { name: "Python", text: python(url, fields, files, key) },
    { name: "TypeScript", text: typescript(url, fields, files, key) },
  ];
}

type Entries = readonly (readonly [name: string, value: string])[];

function curl(url: string, fields: Entries, files: Entries, key: string): string {
  const parts = [
    ...fields.map(([name, value]) => `--form-string ${shellText(`${name}=${value}`)}`),
    ...files.map(([name, file]) => `-F ${shellText(`${name}=@"${file.replaceAll('"', "")}"`)}`),
  ];
  return [`curl ${shellText(url)}`, `-H "Authorization: Bearer ${key}"`, ...parts].join(" \\\n  ");
}

function python(url: string, fields: Entries, files: Entries, key: string): string {
  const opened = files.map(([name, file]) => `    ${JSON.stringify(name)}: open(${JSON.stringify(file)}, "rb"),\n`);
  return `import requests

response = requests.post(
    ${JSON.stringify(url)},
    headers={"Authorization": "Bearer ${key}"},
    data=${pythonLiteral(Object.fromEntries(fields), "    ")},
    files={
${opened.map((line) => `    ${line}`).join("")}    },
)
print(response.text)`;
}

function typescript(url: string, fields: Entries, files: Entries, key: string): string {
  const set = [
    ...fields.map(([name, value]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(value)});`),
    ...files.map(([name, file]) => {
      const path = JSON.stringify(file);
      return `form.set(${JSON.stringify(name)}, await openAsBlob(${path}), ${path});`;
    }),
  ];
  return `${files.length === 0 ? "" : `import { openAsBlob } from "node:fs";\n\n`}const form = new FormData();
${set.join("\n")}
const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { Authorization: "Bearer ${key}" },
  body: form,
});
console.log(await response.json());`;
}
