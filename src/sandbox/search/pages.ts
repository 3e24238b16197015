import type { Page } from "./page.ts";

const page = (url: string, title: string, text: string): Page => ({ url, title, text, isNews: false, ageDays: 400 });
const news = (url: string, title: string, text: string, ageDays: number): Page => ({
  url,
  title,
  text,
  isNews: true,
  ageDays,
});

/** The corpus: written for the sandbox, at names that belong to nobody. */
export const pages: readonly Page[] = [
  page(
    "https://docs.example.com/gateway/introduction",
    "What a model gateway is",
    "A gateway stands in front of model and search providers. Callers have one key and one address; the gateway chooses the provider, records what was used and writes the bill.",
  ),
  page(
    "https://docs.example.com/gateway/search",
    "Search through a gateway",
    "One question goes to any search provider. The gateway maps language, country and time range, keeps to lists of domains, and says in a receipt which backend was chosen and why.",
  ),
  page(
    "https://docs.example.com/gateway/failover",
    "Failover between search providers",
    "If a provider is down, out of credit or too slow, the next one is asked within the same time budget. An empty list of results is an answer and no failure.",
  ),
  page(
    "https://docs.example.com/gateway/billing",
    "How searches are billed",
    "A search costs its billing units times the price of a unit. An advanced search may be two units. Failed searches are free.",
  ),
  page(
    "https://www.example.com/coffee/brewing",
    "Brewing coffee by hand",
    "Grind the beans, wet the filter, and pour water of 93 degrees in slow circles. Coffee tastes of the water as much as of the beans.",
  ),
  page(
    "https://www.example.com/coffee/roasting",
    "Roasting coffee at home",
    "A light roast keeps the taste of the region, a dark roast that of the roaster. Rest the beans for a day before brewing.",
  ),
  page(
    "https://garden.example.org/tomatoes",
    "Growing tomatoes on a balcony",
    "Tomatoes want sun, deep pots and even watering. Tie the plants up early and take out side shoots once a week.",
  ),
  page(
    "https://garden.example.org/compost",
    "Compost without a garden",
    "A closed box with worms turns kitchen scraps into compost in three months and does not smell if it is kept moist.",
  ),
  page(
    "https://rail.example.net/night-trains",
    "Night trains across Europe",
    "Night trains leave in the evening and arrive before breakfast. Sleeping cars are booked out weeks ahead in summer.",
  ),
  page(
    "https://astronomy.example.org/moons",
    "The moons of Jupiter",
    "Galileo saw four moons of Jupiter in 1610. Europa has an ocean below its ice, and Io the most active volcanoes of the solar system.",
  ),
  page(
    "https://code.example.net/typescript/narrowing",
    "Narrowing types in TypeScript",
    "A check such as typeof value === 'string' narrows the type of a value in the branch. Discriminated unions make the narrowing exhaustive.",
  ),
  page(
    "https://code.example.net/http/retry-after",
    "The HTTP header Retry-After",
    "A server that is overloaded or limits a rate tells the client how long to wait, in seconds or as a date. Clients should add jitter.",
  ),
  page(
    "https://sprache.example.de/kaffee",
    "Kaffee kochen ohne Maschine",
    "Kaffee gelingt auch ohne Maschine: Wasser aufkochen, kurz warten, langsam in Kreisen über das Pulver gießen.",
  ),
  page(
    "https://wiki.example.org/search-engine",
    "Search engine",
    "A search engine keeps an index of pages and answers a query with the pages that fit best, each with a title, an address and a snippet.",
  ),
  news(
    "https://news.example.net/2026/search-gateway-release",
    "Search arrives in model gateways",
    "A gateway now puts one search to several providers, with failover, receipts and rules for domains.",
    0,
  ),
  news(
    "https://news.example.net/2026/coffee-harvest",
    "Coffee harvest is the largest in ten years",
    "Growers report a large coffee harvest after even rain. Prices are expected to fall until spring.",
    3,
  ),
  news(
    "https://daily.example.org/night-train-returns",
    "A night train returns after twenty years",
    "The night train between two capitals runs again from December, three times a week.",
    12,
  ),
  news(
    "https://daily.example.org/jupiter-probe",
    "A probe reaches the moons of Jupiter",
    "The probe has begun to map the ice of Europa. Its first pictures show cracks that were not there before.",
    45,
  ),
  news(
    "https://news.example.net/2025/typescript-compiler",
    "The TypeScript compiler becomes ten times as fast",
    "The new compiler checks types in parallel. Editors answer at once even in large projects.",
    300,
  ),
];
