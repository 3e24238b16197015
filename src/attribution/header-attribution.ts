import { type GatewayError, invalidRequest } from "../errors.ts";
import { HeaderNames, type SearchableHeaders } from "../http/headers.ts";
import { type Attribution, entriesToText, type Tags } from "./attribution.ts";
import { boundedText, isPlainText, maxTextLength } from "./bounded-text.ts";
import { maxTags, maxTagsText, readTag, tagForm } from "./tag-grammar.ts";

const tagsHeader = "X-Service-Tags";
const endUserHeader = "X-Service-End-User";
const sessionHeader = "X-Service-Session";

/**
 * The headers in which clients name their session, of Codex (`session-id`, before that `session_id` and
 * `conversation_id`), Claude Code and OpenCode. The first that is there counts.
 */
const clientSessionHeaders = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "conversation_id",
  "x-opencode-session",
  "x-session-affinity",
  "x-session-id",
];

const allHeaders = new HeaderNames([tagsHeader, endUserHeader, sessionHeader, ...clientSessionHeaders]);

/**
 * What the headers of a request say of for whom it is, beside its key.
 * @param own that of the key, returned as it is if no header says anything
 * @param fixed the tags of the key
 * @throws 400 naming the header, and the tag that is malformed, given twice or fixed
 */
export function withHeaders(own: Attribution, fixed: Tags, headers: SearchableHeaders): Attribution {
  if (!headers.hasAny(allHeaders)) return own;
  return {
    tags: readTags(own.tags, fixed, headers.get(tagsHeader)),
    endUser: readOwnText(headers, endUserHeader),
    session: readOwnText(headers, sessionHeader) ?? clientSession(headers),
  };
}

/** Canonical texts by what they were read from, since callers send the same few again and again. */
const knownTags = new Map<string, string | null>();
const maxKnown = 1_000;
const maxKnownLength = 4_096;

function readTags(own: string | null, fixed: Tags, text: string | null): string | null {
  if (text === null || text === "") return own;
  const source = own === null ? text : `${own}\n${text}`;
  const known = knownTags.get(source);
  if (known !== undefined) return known;
  const tags = parseTags(fixed, text);
  if (source.length > maxKnownLength) return tags;
  if (knownTags.size >= maxKnown) knownTags.clear();
  // A copy: a part of a text keeps all of it, which is the head of a request.
  knownTags.set(Buffer.from(source, "latin1").toString("latin1"), tags);
  return tags;
}

function parseTags(fixed: Tags, text: string): string | null {
  const tags = new Map(Object.entries(fixed));
  const given = new Set<string>();
  for (const part of text.split(",")) {
    const written = part.trim();
    // Headers of one name are joined, and lists may have empty members (RFC 9110, 5.6.1).
    if (written === "") continue;
    const tag = readTag(written);
    if (tag === null) throw invalid(tagsHeader, `'${written.slice(0, 80)}' is not ${tagForm}.`);
    const [name, value] = tag;
    if (given.has(name)) throw invalid(tagsHeader, `the tag '${name}' is given twice.`);
    given.add(name);
    checkFixed(fixed, name, value, tagsHeader);
    tags.set(name, value);
    if (tags.size > maxTags) {
      throw invalid(tagsHeader, `with '${name}' there are more than ${maxTags} tags, those of the key included.`);
    }
  }
  const canonical = entriesToText([...tags]);
  if (canonical !== null && canonical.length > maxTagsText) {
    throw invalid(tagsHeader, `the tags are longer than ${maxTagsText} characters in all, as JSON.`);
  }
  return canonical;
}

/** @throws 400 if the key has the tag with another value */
export function checkFixed(fixed: Tags, name: string, value: string, field: string): void {
  const own = Object.hasOwn(fixed, name) ? fixed[name] : value;
  if (own === value) return;
  throw invalid(field, `the tag '${name}' of this API key is fixed: it is '${own}'.`);
}

function readOwnText(headers: SearchableHeaders, name: string): string | null {
  const value = headers.get(name);
  if (value === null || value === "") return null;
  const text = decoded(value, name);
  if (isPlainText(text)) return text;
  throw invalid(name, `expected up to ${maxTextLength} characters without control characters.`);
}

function clientSession(headers: SearchableHeaders): string | null {
  for (const name of clientSessionHeaders) {
    const session = boundedText(headers.get(name));
    if (session !== null) return session;
  }
  return null;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a header, whose characters stand for bytes. */
function decoded(value: string, name: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    throw invalid(name, "it is not UTF-8.");
  }
}

function invalid(header: string, problem: string): GatewayError {
  return invalidRequest("invalid_parameter", `Invalid value for '${header}': ${problem}`, header);
}
