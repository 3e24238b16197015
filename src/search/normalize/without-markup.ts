import { namedEntities } from "./named-entities.ts";

/** What stands for the tags of an element: a space, or words would run together, or nothing. */
const elements: ReadonlyMap<string, string> = new Map([
  ...spaced(
    "a abbr area aside audio b base bdi bdo big body button canvas caption center cite code col colgroup data del details dfn " +
      "dialog em embed fieldset figcaption font form head html i iframe img input ins kbd label legend link main map mark meta " +
      "meter nav noscript object optgroup option param picture progress q rp rt ruby s samp script select small source span strike " +
      "strong style sub summary sup svg tbody template textarea tfoot thead time title track tt u var video wbr",
    "",
  ),
  ...spaced(
    "address article blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table td th tr ul",
    " ",
  ),
]);

function spaced(names: string, text: string): (readonly [name: string, text: string])[] {
  return names.split(" ").map((name) => [name, text]);
}

const endOfScript = /<\/script\s*>/gi;
const endOfStyle = /<\/style\s*>/gi;

const maxName = 16;
/** Attributes of a tag are bounded, so that no text makes the search for its end take long. */
const maxAttributes = 2_000;
/** Characters between the `&` and the `;` of an entity. */
const maxEntity = 32;

const exclamation = 0x21;
const numberSign = 0x23;
const slash = 0x2f;
const semicolon = 0x3b;
const lessThan = 0x3c;
const greaterThan = 0x3e;
const letterF = 0x66;
const letterX = 0x78;

/** The tags that providers mark found words with. */
const emphasis = /<\/?(?:strong|b|em|mark)>/g;

/** An ampersand, or the beginning of an entity, right before a tag. */
const partedEntity = /&[#A-Za-z0-9]*</;

/** The entities of most texts that have any. `&amp;` comes last: what it makes with the text after it is none. */
const commonEntities = [
  ["&quot;", '"'],
  ["&#x27;", "'"],
  ["&#39;", "'"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&nbsp;", "\u00a0"],
] as const;
/** What may be another entity. */
const otherEntity = /&(?!amp;)[#A-Za-z]/;

/**
 * Text without the tags of HTML, scripts, styles and comments, with entities decoded once. One look at each character:
 * a regular expression with a callback for each tag takes twice as long.
 */
export function withoutMarkup(text: string): string {
  if (!text.includes("<") && !text.includes("&")) return text;
  return withoutCommonMarkup(text) ?? withoutAnyMarkup(text);
}

/** The same for most texts with markup, which have these tags and entities alone, at a third of the time; null for others. */
function withoutCommonMarkup(text: string): string | null {
  let bare = text.includes("<") ? text.replace(emphasis, "") : text;
  if (bare.includes("<")) return null;
  if (!text.includes("&")) return bare;
  // A tag that was taken out may have parted an ampersand from what now seems an entity.
  if (bare.length !== text.length && partedEntity.test(text)) return null;
  if (otherEntity.test(bare)) {
    for (const [entity, character] of commonEntities) bare = bare.replaceAll(entity, character);
    if (otherEntity.test(bare)) return null;
  }
  return bare.replaceAll("&amp;", "&");
}

function withoutAnyMarkup(text: string): string {
  let open = text.indexOf("<");
  let entity = text.indexOf("&");
  const endless: Endless = { comment: false, script: false, style: false };
  let kept = "";
  /** What is before it is dealt with. */
  let from = 0;
  while (open >= 0 || entity >= 0) {
    const isTag = open >= 0 && (entity < 0 || open < entity);
    const at = isTag ? open : entity;
    const found = isTag ? readTag(text, at, endless) : readEntity(text, at);
    if (found !== null) {
      kept += at > from ? text.slice(from, at) + found.text : found.text;
      from = found.end;
    }
    const next = Math.max(from, at + 1);
    if (open >= 0 && open < next) open = text.indexOf("<", next);
    if (entity >= 0 && entity < next) entity = text.indexOf("&", next);
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** What stands for a part of the text, and where that part ends. */
interface Replaced {
  readonly text: string;
  readonly end: number;
}

/** What is hidden and does not end any more. It is not looked for again, or a text of beginnings would take long. */
interface Endless {
  comment: boolean;
  script: boolean;
  style: boolean;
}

function afterComment(text: string, from: number, endless: Endless): number {
  const end = endless.comment ? -1 : text.indexOf("-->", from);
  endless.comment = end < 0;
  return end < 0 ? -1 : end + 3;
}

/** The offset after the end of a script or style; -1 if it does not end. */
function afterHidden(text: string, name: "script" | "style", from: number, endless: Endless): number {
  if (endless[name]) return -1;
  const end = name === "script" ? endOfScript : endOfStyle;
  end.lastIndex = from;
  endless[name] = !end.test(text);
  return endless[name] ? -1 : end.lastIndex;
}

/** The tag, or all of the hidden element, that begins here; null if this is text. */
function readTag(text: string, at: number, endless: Endless): Replaced | null {
  let place = at + 1;
  if (text.charCodeAt(place) === exclamation) {
    const end = text.startsWith("!--", place) ? afterComment(text, place + 3, endless) : -1;
    return end < 0 ? null : { text: " ", end };
  }
  const isEnd = text.charCodeAt(place) === slash;
  if (isEnd) place++;
  const name = nameAt(text, place);
  if (name === "") return null;
  const replacement = elements.get(name);
  if (replacement === undefined) return null;
  if (!isEnd && (name === "script" || name === "style")) {
    const end = afterHidden(text, name, place + name.length, endless);
    if (end >= 0) return { text: " ", end };
  }
  const end = endOfTag(text, place + name.length);
  return end < 0 ? null : { text: replacement, end };
}

/** The name of an element in lower case; empty if no tag begins with one here. */
function nameAt(text: string, from: number): string {
  let hasCapitals = false;
  let end = from;
  for (; end - from <= maxName; end++) {
    const code = text.charCodeAt(end);
    if (!isLetter(code) && (!isDigit(code) || end === from)) break;
    if (code < 0x61 && code >= 0x41) hasCapitals = true;
  }
  const next = text.charCodeAt(end);
  if (end === from || end - from > maxName || (next !== greaterThan && next !== slash && !isSpace(next))) return "";
  const name = text.slice(from, end);
  return hasCapitals ? name.toLowerCase() : name;
}

/** The offset after the `>` of a tag, from the end of its name on; -1 if it has none. */
function endOfTag(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === greaterThan) return from + 1;
  if (first === slash) return text.charCodeAt(from + 1) === greaterThan ? from + 2 : -1;
  if (!isSpace(first)) return -1;
  const last = Math.min(text.length, from + maxAttributes);
  for (let at = from + 1; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === greaterThan) return at + 1;
    if (code === lessThan) return -1;
  }
  return -1;
}

function readEntity(text: string, at: number): Replaced | null {
  const isNumber = text.charCodeAt(at + 1) === numberSign;
  const isHexadecimal = isNumber && (text.charCodeAt(at + 2) | 0x20) === letterX;
  const begin = at + (isHexadecimal ? 3 : isNumber ? 2 : 1);
  const last = Math.min(text.length, begin + maxEntity);
  let code = 0;
  for (let end = begin; end < last; end++) {
    const character = text.charCodeAt(end);
    if (character === semicolon) {
      if (end === begin) return null;
      const name = isNumber ? characterOf(code) : namedEntities.get(text.slice(begin, end));
      return name === undefined ? null : { text: name, end: end + 1 };
    }
    if (isDigit(character)) code = code * (isHexadecimal ? 16 : 10) + character - 0x30;
    else if (isLetter(character) && (!isNumber || (isHexadecimal && (character | 0x20) <= letterF)))
      code = code * 16 + (character | 0x20) - 0x57;
    else return null;
  }
  return null;
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}
