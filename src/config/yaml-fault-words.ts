import type { ErrorCode } from "yaml";

/** What is said of a fault in the YAML itself. The parser's own messages quote the file, where a secret may stand. */
const words: Readonly<Partial<Record<ErrorCode, readonly [found: string, allowed: string]>>> = {
  ALIAS_PROPS: ["an alias with an anchor or a tag", "an alias alone"],
  BAD_ALIAS: ["an alias without an anchor before it", "*name after &name; put a text that begins with * in quotes"],
  BAD_DIRECTIVE: ["a % directive that YAML does not know", "a value; put a text that begins with % in quotes"],
  BAD_DQ_ESCAPE: ["an escape that YAML does not know", '\\\\ for a backslash in "double quotes"'],
  BAD_INDENT: ["wrong indentation, or a bracket that is not closed", "names of one map in one column"],
  BAD_SCALAR_START: ["a value that begins with a special character", "the value in quotes"],
  BLOCK_AS_IMPLICIT_KEY: ["a nested block on the line of its name", "the block on lines of its own"],
  BLOCK_IN_FLOW: ["an indented block inside { } or [ ]", "only flow style inside { } and [ ]"],
  IMPOSSIBLE: ["text that is not YAML", "YAML 1.2"],
  MISSING_CHAR: ["a missing character, such as : , ] } or a closing quote", "YAML 1.2"],
  MULTILINE_IMPLICIT_KEY: ["a name without a colon", "name: value"],
  MULTIPLE_DOCS: ["a second document after ---", "one document"],
  NON_STRING_KEY: ["a name that is not text", "a text as name"],
  RESOURCE_EXHAUSTION: ["values nested too deep", "at most 32 levels"],
  TAB_AS_INDENT: ["a tab as indentation", "spaces"],
  TAG_RESOLVE_FAILED: ["a tag (!) that is not known here", "plain values; put a text that begins with ! in quotes"],
  UNEXPECTED_TOKEN: [
    "text where none can stand",
    "YAML 1.2; put a text with special characters, such as ${NAME} inside { } or [ ], in quotes",
  ],
};

/** What was found and what is allowed, for a code of the YAML parser. */
export function yamlFaultWords(code: ErrorCode): { readonly found: string; readonly allowed: string } {
  const [found, allowed] = words[code] ?? ["text that is not YAML", "YAML 1.2"];
  return { found, allowed };
}
