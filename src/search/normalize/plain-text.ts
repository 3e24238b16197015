import { namedEntities } from "./named-entities.ts";

/** Elements of HTML. What looks like a tag but is none of them (`Array<string>`) is text. */
const elements: ReadonlySet<string> = new Set(
  (
    "a abbr address article aside audio b base bdi bdo big blockquote body br button canvas caption center cite code col colgroup " +
    "data dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr " +
    "html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option p param " +
    "picture pre progress q rp rt ruby s samp script section select small source span strike strong style sub summary sup svg " +
    "table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
  ).split(" "),
);

/** Tags between which there is a space, or words would run together. */
const breaks: ReadonlySet<string> = new Set(
  "address article blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table td th tr ul".split(
    " ",
  ),
);

/** Attributes are bounded, so that no text makes the search for the end of a tag take long. */
const tag = /<\/?([a-zA-Z][a-zA-Z0-9]{0,15})(?:\s[^<>]{0,2000})?\/?>/g;
/** The beginnings of what is never shown, each with its end. */
const unseen = [
  { begin: /<script\b/gi, end: /<\/script\s*>/gi },
  { begin: /<style\b/gi, end: /<\/style\s*>/gi },
  { begin: /<!--/g, end: /-->/g },
] as const;
const mayHide = /<(?:script|style|!--)/i;
const entity = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));/g;

/** Text on one line, without tags of HTML, with entities decoded once, and without control characters. */
export function plainText(text: string): string {
  return decoded(text)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** The same with line breaks kept, for whole pages. */
export function plainContent(text: string): string {
  return decoded(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim();
}

function decoded(text: string): string {
  const bare = text.includes("<")
    ? (mayHide.test(text) ? unseen.reduce(withoutSpans, text) : text).replace(tag, untagged)
    : text;
  return (bare.includes("&") ? bare.replace(entity, decodeEntity) : bare).toWellFormed();
}

/** The text with a space for each span. One that does not end is text. */
function withoutSpans(text: string, { begin, end }: (typeof unseen)[number]): string {
  let kept = "";
  let from = 0;
  for (;;) {
    begin.lastIndex = from;
    const opening = begin.exec(text);
    if (opening === null) break;
    end.lastIndex = begin.lastIndex;
    if (!end.test(text)) break;
    kept += `${text.slice(from, opening.index)} `;
    from = end.lastIndex;
  }
  return from === 0 ? text : kept + text.slice(from);
}

function untagged(whole: string, name: string): string {
  const element = name.toLowerCase();
  if (!elements.has(element)) return whole;
  return breaks.has(element) ? " " : "";
}

function decodeEntity(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return namedEntities.get(name) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}
