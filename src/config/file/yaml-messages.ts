import type { ErrorCode } from "yaml";

/** Messages for syntax errors. The parser's own messages quote the file, which may contain a secret. */
const messages: Readonly<Partial<Record<ErrorCode, readonly [found: string, allowed: string]>>> = {
  ALIAS_PROPS: ["an alias with an anchor or a tag", "an alias alone"],
  BAD_ALIAS: ["an alias without an anchor before it", "*name after &name; quote a text that begins with *"],
  BAD_DIRECTIVE: ["an unknown % directive", "a value; quote a text that begins with %"],
  BAD_DQ_ESCAPE: ["an unknown escape sequence", '\\\\ for a backslash in "double quotes"'],
  BAD_INDENT: ["wrong indentation, or an unclosed bracket", "the names of a map in one column"],
  BAD_SCALAR_START: ["a value that begins with a special character", "a quoted value"],
  BLOCK_AS_IMPLICIT_KEY: ["a nested block on the line of its name", "the block on separate lines"],
  BLOCK_IN_FLOW: ["an indented block inside { } or [ ]", "only flow style inside { } and [ ]"],
  IMPOSSIBLE: ["text that is not YAML", "YAML 1.2"],
  MISSING_CHAR: ["a missing character, such as : , ] } or a closing quote", "YAML 1.2"],
  MULTILINE_IMPLICIT_KEY: ["a name without a colon", "name: value"],
  MULTIPLE_DOCS: ["a second document after ---", "one document"],
  NON_STRING_KEY: ["a name that is not text", "text as the name"],
  RESOURCE_EXHAUSTION: ["values nested too deeply", "at most 32 levels"],
  TAB_AS_INDENT: ["a tab as indentation", "spaces"],
  TAG_RESOLVE_FAILED: ["an unsupported tag (!)", "plain values; quote a text that begins with !"],
  UNEXPECTED_TOKEN: [
    "unexpected text",
    "YAML 1.2; quote a text with special characters, such as ${NAME} inside { } or [ ]",
  ],
};

/** Returns the message for an error code of the YAML parser. */
export function yamlMessage(code: ErrorCode): { readonly found: string; readonly allowed: string } {
  const [found, allowed] = messages[code] ?? ["text that is not YAML", "YAML 1.2"];
  return { found, allowed };
}
