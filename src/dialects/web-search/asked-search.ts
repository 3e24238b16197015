import type { ConversationRequest, NativeTool } from "../../conversation/request.ts";
import { googleSearchNames, isWebSearch } from "../../conversation/web-search/web-search-tool.ts";
import { invalidParameter, permissionError, unsupportedParameter } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import { intersectDomains, widest } from "../../search/domains/domain-rules.ts";
import { readDomain } from "../../search/domains/host.ts";
import { callerPath } from "../../conversation/fields/used-fields.ts";
import {
  optionalInteger,
  optionalList,
  optionalObject,
  optionalString,
  optionalWord,
  requiredObject,
} from "../fields/read-field.ts";
import { noteUnknown } from "../fields/unknown-fields.ts";

/** The web search that a caller's tools ask for, in no dialect's words. */
export interface AskedSearch {
  /** Searches of one answer at most, as the caller limits them; null if it does not. */
  readonly maxUses: number | null;
  /** Host names; empty if there is no such list. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  /** As the caller wrote it; null if it did not. */
  readonly country: string | null;
  readonly contextSize: "low" | "medium" | "high";
  /** Paths of the tool's settings that are not looked at. */
  readonly unread: readonly string[];
}

const nothingAsked: AskedSearch = {
  maxUses: null,
  allowedDomains: [],
  blockedDomains: [],
  country: null,
  contextSize: "medium",
  unread: [],
};

/**
 * Reads what a request asks of its web search.
 * @param keyDomains the domains that the caller's key may search; null: all
 * @throws a 400 that names the setting; a 403 if the key allows none of the domains that are asked for
 */
export function readAskedSearch(request: ConversationRequest, keyDomains: ReadonlySet<string> | null): AskedSearch {
  const options = request.vendorFields?.["openai.web_search_options"];
  let asked = nothingAsked;
  if (options !== undefined) {
    const path = callerPath(request, "openai.web_search_options");
    asked = readSettings(requiredObject(options, path), path, keyDomains);
  }
  const found = request.tools?.filter((each): each is NativeTool => each.type === "native" && isWebSearch(each)) ?? [];
  for (const [index, tool] of found.entries()) {
    if (tool.vendor === "google") {
      asked = { ...asked, unread: [...asked.unread, ...unreadOfGoogle(tool)] };
      continue;
    }
    const path = tool.path ?? "tools";
    // The domains of one are not to be forgotten over those of the other.
    if (index > 0 || options !== undefined) throw unsupportedParameter(path, "A request has one web search at most.");
    asked = readSettings(tool.value, path, keyDomains);
  }
  const maxCalls = readUses(request.vendorFields?.["openai.max_tool_calls"], "max_tool_calls");
  const maxUses = Math.min(asked.maxUses ?? Infinity, maxCalls ?? Infinity);
  return { ...asked, maxUses: maxUses === Infinity ? null : maxUses };
}

const known = "type name max_uses filters user_location search_context_size cache_control search_content_types";
const domainLists = "allowed_domains blocked_domains";

function readSettings(tool: JsonObject, path: string, keyDomains: ReadonlySet<string> | null): AskedSearch {
  const unread: string[] = [];
  const filters = optionalObject(tool.filters, `${path}.filters`);
  noteUnknown(tool, filters ? known : `${known} ${domainLists}`, path, unread);
  if (filters) noteUnknown(filters, domainLists, `${path}.filters`, unread);
  const listed = filters ?? tool;
  const at = filters ? `${path}.filters` : path;
  const allowedDomains = readDomains(listed.allowed_domains, `${at}.allowed_domains`);
  const blockedDomains = readDomains(listed.blocked_domains, `${at}.blocked_domains`);
  checkKey(allowedDomains, keyDomains, `${at}.allowed_domains`);
  const location = optionalObject(tool.user_location, `${path}.user_location`);
  const approximate = optionalObject(location?.approximate, `${path}.user_location.approximate`);
  const place = approximate ?? location;
  const placePath = approximate ? `${path}.user_location.approximate` : `${path}.user_location`;
  if (place) noteUnknown(place, "type country approximate", placePath, unread);
  const sizes = ["low", "medium", "high"] as const;
  return {
    maxUses: readUses(tool.max_uses, `${path}.max_uses`),
    allowedDomains,
    blockedDomains,
    country: optionalString(place?.country, `${placePath}.country`) ?? null,
    contextSize: optionalWord(tool.search_context_size, `${path}.search_context_size`, sizes) ?? "medium",
    unread,
  };
}

function readUses(value: unknown, path: string): number | null {
  const uses = optionalInteger(value, path) ?? null;
  if (uses !== null && uses < 1) throw invalidParameter(path, "a whole number of at least 1");
  return uses;
}

const maxDomains = 1_000;

function readDomains(value: unknown, path: string): readonly string[] {
  const list = optionalList(value, path) ?? [];
  if (list.length > maxDomains) throw invalidParameter(path, `at most ${maxDomains} domains`);
  return list.map((entry, index) => {
    const domain = typeof entry === "string" ? readDomain(entry) : null;
    if (domain === null)
      throw invalidParameter(`${path}[${index}]`, "a domain such as example.com, without scheme and path");
    return domain;
  });
}

function checkKey(allowed: readonly string[], keyDomains: ReadonlySet<string> | null, path: string): void {
  if (allowed.length === 0 || keyDomains === null) return;
  const both = intersectDomains(widest(allowed), keyDomains);
  if (both === null || both.size > 0) return;
  throw permissionError("domain_not_allowed", `This API key may not search any of the domains in '${path}'.`, path);
}

/** What else is said of Google's search, such as a range of time. */
function unreadOfGoogle({ value, path = "tools" }: NativeTool): string[] {
  return googleSearchNames.flatMap((name) => {
    const settings = value[name];
    if (typeof settings !== "object" || settings === null) return [];
    return Object.keys(settings).map((member) => `${path}.${name}.${member}`);
  });
}
