/** The search providers that the gateway speaks to. A test compares them with its own list. */
export const searchProviders: readonly string[] = [
  "brave",
  "exa",
  "firecrawl",
  "jina",
  "linkup",
  "parallel",
  "perplexity",
  "searxng",
  "serpapi",
  "serper",
  "tavily",
  "youcom",
];
