/** The lanes of service that an OpenAI answer can name. */
const tiers: ReadonlySet<string> = new Set(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"]);

/** OpenAI's name of another vendor's service tier; undefined for a tier that OpenAI does not have. */
export function openaiServiceTier(tier: string | undefined): string | undefined {
  if (tier === "standard") return "default";
  return tier !== undefined && tiers.has(tier) ? tier : undefined;
}
