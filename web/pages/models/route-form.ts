import type { Route } from "../../api/types.ts";

export interface MemberForm {
  readonly model: string;
  readonly weight: string;
}

/** What stands in the form, as it was typed. */
export interface RouteForm {
  readonly id: string;
  readonly kind: "alias" | "policy";
  readonly alias: string;
  readonly strategy: string;
  readonly members: readonly MemberForm[];
  readonly requires: readonly string[];
  readonly hedgeAfterMs: string;
  readonly attempts: string;
}

/** @param model what a new alias leads to at first */
export function formOf(route: Route | null, model: string): RouteForm {
  const members = route?.targets?.map((target) => {
    return typeof target === "string"
      ? { model: target, weight: "1" }
      : { model: target.model, weight: String(target.weight ?? 1) };
  });
  return {
    id: route?.id ?? "",
    kind: route?.targets ? "policy" : "alias",
    alias: route?.alias ?? model,
    strategy: route?.strategy ?? "priority",
    members: members ?? [{ model, weight: "1" }],
    requires: route?.requires ?? [],
    hedgeAfterMs: typeof route?.hedge_after_ms === "number" ? String(route.hedge_after_ms) : "",
    attempts: typeof route?.retry?.attempts === "number" ? String(route.retry.attempts) : "",
  };
}

/** The route as `PUT /api/admin/routes/{id}` takes it. What the form does not show stays as it was. */
export function routeOf(form: RouteForm, before: Route | null): Record<string, unknown> {
  if (form.kind === "alias") return { alias: form.alias };
  const numberOf = (typed: string) => (Number.isNaN(Number(typed)) ? typed : Number(typed));
  const attempts = form.attempts.trim() === "" ? null : numberOf(form.attempts);
  return {
    strategy: form.strategy,
    targets: form.members.map(({ model, weight }) => ({ model, weight: numberOf(weight) })),
    requires: form.requires,
    ...(before?.fallback_on && { fallback_on: before.fallback_on }),
    ...((before?.retry || attempts !== null) && { retry: { ...before?.retry, attempts } }),
    ...(form.hedgeAfterMs.trim() !== "" && { hedge_after_ms: numberOf(form.hedgeAfterMs) }),
  };
}
