import type { Arrange } from "../routing/choice/plan.ts";
import type { Candidate } from "../routing/choice/candidate.ts";
import type { SearchBackend } from "./backend.ts";
import { fitQuery } from "./fit-query.ts";
import { findSearchProvider } from "./providers/registry.ts";
import type { SearchRequest } from "./request.ts";

/** How much of a request a backend cannot do: infinitely much if there is no such provider. */
export type LacksOf = (backend: SearchBackend | null) => number;

/** How many of the caller's fields a backend would have to leave out. */
export function lacksOf(request: SearchRequest, backend: SearchBackend | null): number {
  const provider = backend && findSearchProvider(backend.provider);
  return provider ? fitQuery(request, provider, backend.maxResults).downgrades.length : Number.POSITIVE_INFINITY;
}

/**
 * The order in which backends are asked: the one that the caller named; then by what they can do of the request, priority
 * (the lowest number first), expected cost, and by weight among those that are equal in all that.
 */
export function arrangeBackends(request: SearchRequest, ...choice: Parameters<Arrange>): readonly Candidate[] {
  return arrangeByLacks((backend) => lacksOf(request, backend), ...choice);
}

/** The same by how much of some request a backend cannot do. */
export function arrangeByLacks(lacks: LacksOf, ...choice: Parameters<Arrange>): readonly Candidate[] {
  const [groups, destination, { costOf, random }] = choice;
  const named = destination.backends?.named ?? null;
  return groups
    .flatMap(({ candidates, weight }) =>
      candidates.map((candidate) => ({
        candidate,
        keys: [
          candidate.model === named ? 0 : 1,
          lacks(candidate.model.search ?? null),
          candidate.model.search?.priority ?? 0,
          costOf(candidate) ?? Number.MAX_SAFE_INTEGER,
          // The least of such draws is each one's as often as its share of the weights (Efraimidis and Spirakis).
          -Math.log(1 - random()) / weight,
        ],
      })),
    )
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ candidate }) => candidate);
}

function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [place, key] of one.entries()) {
    const difference = key - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
