/** How keys of well-known vendors begin, longer beginnings before their own. */
const vendors: readonly (readonly [prefix: string, vendor: string])[] = [
  ["sk-ant-", "Anthropic"],
  ["sk-or-", "OpenRouter"],
  ["sk-proj-", "OpenAI"],
  ["sk-svcacct-", "OpenAI"],
  ["sk-admin-", "OpenAI"],
  ["AIza", "Google"],
  ["gsk_", "Groq"],
  ["xai-", "xAI"],
  ["hf_", "Hugging Face"],
];

/** The vendor to whom a key seems to belong, and its beginning, which is no secret; null if it is not known. */
export function vendorOfKey(credential: string): { readonly vendor: string; readonly prefix: string } | null {
  const [prefix, vendor] = vendors.find(([beginning]) => credential.startsWith(beginning)) ?? [];
  return prefix !== undefined && vendor !== undefined ? { vendor, prefix } : null;
}
