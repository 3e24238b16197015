import { access } from "./error-catalogue/access.ts";
import { consoleErrors } from "./error-catalogue/console.ts";
import { conflicts } from "./error-catalogue/conflicts.ts";
import { failures } from "./error-catalogue/failures.ts";
import { invalidRequests } from "./error-catalogue/invalid-requests.ts";
import { limits } from "./error-catalogue/limits.ts";
import { notFound } from "./error-catalogue/not-found.ts";
import type { CatalogueEntry, ErrorType } from "./error-catalogue/error-group.ts";

export type { ErrorType } from "./error-catalogue/error-group.ts";

/**
 * Every error that a caller can see, by the value of `error.code`. A `GatewayError` can only be made from one of these
 * entries; docs/errors.md is written from them by `scripts/errors-page.ts`.
 */
export const errorCatalogue = {
  ...invalidRequests,
  ...access,
  ...notFound,
  ...conflicts,
  ...limits,
  ...failures,
  ...consoleErrors,
} as const satisfies Readonly<Record<string, NamedOnce>>;

/** The name of an entry: its code, unless the entry says otherwise. */
export type ErrorName = keyof typeof errorCatalogue;

/** The names of all entries of some types. */
export type ErrorNameOf<Type extends ErrorType> = {
  [Name in ErrorName]: (typeof errorCatalogue)[Name]["type"] extends Type ? Name : never;
}[ErrorName];

/** One entry, less what only the docs need. */
export function errorFacts(name: ErrorName): { status: number; type: ErrorType; code: string | null } {
  const entry: CatalogueEntry = errorCatalogue[name];
  return { status: entry.status, type: entry.type, code: entry.code === undefined ? name : entry.code };
}

/** What each entry is, unless a name stands in two groups: then it is that name, and nothing compiles. */
type NamedOnce = [RepeatedName] extends [never] ? CatalogueEntry : RepeatedName;

type RepeatedName = RepeatedKey<
  [
    typeof invalidRequests,
    typeof access,
    typeof notFound,
    typeof conflicts,
    typeof limits,
    typeof failures,
    typeof consoleErrors,
  ]
>;

type RepeatedKey<Groups extends readonly object[]> = Groups extends readonly [
  infer First,
  ...infer Rest extends object[],
]
  ? (keyof First & KeyOf<Rest[number]>) | RepeatedKey<Rest>
  : never;

type KeyOf<Group> = Group extends object ? keyof Group : never;
