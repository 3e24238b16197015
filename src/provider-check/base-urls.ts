/** Paths of operations that are pasted with the base URL. */
const operation = /\/(chat\/completions|completions|responses|messages|embeddings|models)$/;

/** Versions with which the base URL of one vendor ends, and that of another does not. */
const version = /(\/v1(beta)?)+(\/openai)?$/;

/**
 * The base URLs that an operator may have meant instead of this one, the likeliest first.
 * @param path what was asked below the base URL: if it begins with a version, the base URL has none
 */
export function otherBaseUrls(baseUrl: string, path: string): string[] {
  const whole = baseUrl.replace(/\/+$/, "");
  const withoutOperation = whole.replace(operation, "");
  const bare = withoutOperation.replace(version, "");
  const meant = /^\/v\d/.test(path) ? [bare] : [`${bare}/v1`, withoutOperation, bare];
  return [...new Set(meant)].filter((other) => other !== whole);
}
