/** Searches, and what providers answer to them: ten results with snippets of the size that real ones have. */

/** The providers of the measured searches: one that answers in plain text, and one that answers with markup and much beside. */
export const searchProviders = ["tavily", "brave"] as const;
export type SearchProviderName = (typeof searchProviders)[number];

const passage =
  "A gateway stands in front of model and search providers, so that callers have one key, one address and one bill. " +
  "It chooses the provider, tries the next one if that fails, and records what each request has used and cost. ";

const places = Array.from({ length: 10 }, (_, index) => index + 1);

const tavily = {
  query: "what does a gateway do",
  follow_up_questions: null,
  answer: null,
  images: [],
  results: places.map((place) => ({
    url: `https://docs${place}.example.com/guides/gateways/part-${place}?section=${place}`,
    title: `What a gateway does, part ${place}`,
    content: passage.repeat(2),
    score: 1 - place / 20,
    raw_content: null,
  })),
  response_time: 0.4,
  usage: { credits: 1 },
  request_id: "5f1c2a3e-0000-4000-8000-000000000000",
};

const brave = {
  type: "search",
  query: { original: "what does a gateway do", more_results_available: true, spellcheck_off: false },
  mixed: { type: "mixed", main: places.map((place) => ({ type: "web", index: place - 1, all: false })) },
  web: {
    type: "search",
    results: places.map((place) => ({
      title: `What a <strong>gateway</strong> does &amp; why, part ${place}`,
      url: `https://www.example${place}.com/guides/gateways/${place}`,
      is_source_local: false,
      description: `<strong>Gateways</strong>: ${passage} &quot;One key&quot; &#x27;one bill&#x27;.`,
      page_age: `2026-10-${String(place + 9)}T17:40:05`,
      age: `${place + 2} days ago`,
      language: "en",
      family_friendly: true,
      profile: { name: "Example", url: `https://www.example${place}.com/`, long_name: `www.example${place}.com` },
      meta_url: {
        scheme: "https",
        netloc: `www.example${place}.com`,
        hostname: `www.example${place}.com`,
        path: "/ guides",
      },
    })),
    family_friendly: true,
  },
};

/** JSON without what means something in a string of nginx's configuration. */
export const searchAnswers: Readonly<Record<SearchProviderName, string>> = {
  tavily: JSON.stringify(tavily),
  brave: JSON.stringify(brave),
};

/** The prefix of the path at the upstream. */
export function searchPrefix(provider: SearchProviderName): string {
  return `/search/${provider}`;
}

/** The body of a search over the backend of the provider's name. */
export function searchBody(provider: SearchProviderName): string {
  return JSON.stringify({ query: "what does a gateway do", backend: provider, max_results: 10 });
}
