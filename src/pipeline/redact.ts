import type { Provider } from "../upstream/provider.ts";

const maxLength = 2_000;

/** A provider's words without what callers must not see: credentials, addresses, and more than a screen of text. */
export function redact(text: string, provider: Provider): string {
  let clean = text.slice(0, maxLength);
  for (const apiKey of provider.apiKeys) clean = clean.replaceAll(apiKey, "[redacted]");
  clean = clean.replaceAll(new URL(provider.baseUrl).host, "[redacted]");
  return clean
    .replace(/\b(sk|pk|rk|gsk|xai|AIza)[-_]?[\w*.-]{11,}[\w*]/g, "[redacted]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [redacted]")
    .replace(/\bhttps?:\/\/[^\s"'<>)]+/gi, "[redacted]")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, "[redacted]");
}
