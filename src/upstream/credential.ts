import type { DialectName } from "../dialects/exchange.ts";

/** The header in which each dialect's vendor takes the key. */
export function credentialHeader(dialect: DialectName, apiKey: string): Record<string, string> {
  switch (dialect) {
    case "openai-chat":
    case "openai-responses":
      return { authorization: `Bearer ${apiKey}` };
    case "anthropic-messages":
      return { "x-api-key": apiKey };
    case "gemini":
      return { "x-goog-api-key": apiKey };
  }
}
