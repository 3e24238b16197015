import { join } from "node:path";

/** The page with the settings, which the suite runs as they are written there. */
const page = join(import.meta.dir, "..", "docs", "clients.md");

const example = { url: "http://127.0.0.1:8787", key: "sk-tg-your-key", model: "gpt-5-mini" };

/** A block of code under a heading. */
export interface SettingsBlock {
  readonly heading: string;
  /** The file that the line before the block names in backticks at its end, or the block's language. */
  readonly label: string;
  readonly text: string;
}

/** All blocks of the page. */
export function settingsBlocks(markdown: string): SettingsBlock[] {
  const blocks: SettingsBlock[] = [];
  let heading = "";
  let before = "";
  let open: { readonly language: string; readonly lines: string[] } | null = null;
  for (const line of markdown.split("\n")) {
    const fence = /^```(\w*)/.exec(line);
    if (fence === null && open === null) {
      heading = /^#+ (.+)/.exec(line)?.[1] ?? heading;
      if (line.trim() !== "") before = line;
    } else if (open === null) {
      open = { language: fence?.[1] ?? "", lines: [] };
    } else if (fence === null) {
      open.lines.push(line);
    } else {
      const label = /`([^`]+)`:$/.exec(before)?.[1] ?? open.language;
      blocks.push({ heading, label, text: `${open.lines.join("\n")}\n` });
      before = "";
      open = null;
    }
  }
  return blocks;
}

/** A block with other values in place of the examples. Throws if there is none, or several, of that heading and label. */
export async function readSettings(
  heading: string,
  label: string,
  values: { readonly url: string; readonly key: string; readonly model: string },
): Promise<string> {
  const blocks = settingsBlocks(await Bun.file(page).text());
  const [block, another] = blocks.filter((one) => one.heading === heading && one.label === label);
  if (!block || another) throw new Error(`docs/clients.md must have one block '${label}' under '${heading}'`);
  return block.text
    .replaceAll(example.url, values.url)
    .replaceAll(example.key, values.key)
    .replaceAll(example.model, values.model);
}

/** The variables that a block of shell commands exports. */
export function exportedVariables(shell: string): Record<string, string> {
  const exports = shell.matchAll(/^export (\w+)=(?:"([^"]*)"|(\S*))/gm);
  return Object.fromEntries([...exports].map(([, name = "", quoted, bare = ""]) => [name, quoted ?? bare]));
}
