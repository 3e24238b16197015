import { problemOfRules, usualBodyLogPolicy, type BodyLogPolicy } from "../../../bodies/body-log-policy.ts";
import type { BodyUsage } from "../../../bodies/body-store.ts";
import { changePolicy } from "../../../bodies/change-policy.ts";
import { policyView } from "../../../bodies/policy-view.ts";
import { invalidParameter, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { bodyLogInput } from "../usage/body-schemas.ts";
import { readInput } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/accounts/{id}/log-bodies` */
export async function showBodyLog({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { policy, usage } = await find(services, id);
  return answerOf(id, policy ?? usualBodyLogPolicy, usage);
}

/** `PATCH /api/admin/accounts/{id}/log-bodies`: what is absent stays as it is. */
export async function changeBodyLog(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const input = await readInput(visit, bodyLogInput);
  const { redact, retention, max_body_bytes: maxBodyBytes, max_bytes: maxBytes, enabled } = input;
  const { policy: before, usage } = await find(services, id);
  // Without rules the object stands for the usual ones, as null does for each of them.
  const rules = redact === null ? { fields: null, paths: null, patterns: null } : redact;
  const policy = changePolicy(before, { ...rules, enabled, retentionMs: retention, maxBodyBytes, maxBytes });
  const problem = problemOfRules(policy.redact);
  if (problem !== null) throw invalidParameter(`redact.${problem.field}`, problem.expected);
  await withStorage(services, () => services.managed.bodies.setPolicy(id, policy, by, "log_bodies"));
  await services.bodyLog.refresh();
  return answerOf(id, policy, usage);
}

/** `DELETE /api/admin/accounts/{id}/bodies`: none can be read from then on; the storage is freed soon after. */
export async function deleteAccountBodies({ services, request, id }: Visit): Promise<Answer> {
  const by = await adminActor(services, request);
  const { policy } = await find(services, id);
  const cleared = { ...(policy ?? usualBodyLogPolicy), clearedAt: services.clock.now() };
  await withStorage(services, () => services.managed.bodies.setPolicy(id, cleared, by, "delete_bodies"));
  await services.bodyLog.refresh();
  return jsonAnswer({ object: "request.bodies", id, deleted: true });
}

async function find(services: Visit["services"], id: string) {
  const { accounts, bodies } = services.managed;
  return withStorage(services, async () => {
    const [account, policy, usage] = await Promise.all([accounts.find(id), bodies.findPolicy(id), bodies.usage(id)]);
    if (account === null) throw notFound("account_not_found", "There is no account with this id.", "id");
    return { policy, usage };
  });
}

function answerOf(account: string, policy: BodyLogPolicy, kept: BodyUsage): Answer {
  return jsonAnswer({ object: "account.log_bodies", account, ...policyView(policy), kept });
}
