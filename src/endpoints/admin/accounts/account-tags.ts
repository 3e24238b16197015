import { problemOfPolicy, type TagPolicy } from "../../../attribution/tag-policy.ts";
import { invalidRequest, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { tagPolicyInput } from "./account-schemas.ts";
import { readInput } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

const noPolicy: TagPolicy = { required: [], allowed: {} };

/** `GET /api/admin/accounts/{id}/tags` */
export async function showTags({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { accounts, tagPolicies } = services.managed;
  const policy = await withStorage(services, async () => {
    if ((await accounts.find(id)) === null) throw unknownAccount();
    return tagPolicies.find(id);
  });
  return jsonAnswer(policy ?? noPolicy);
}

/** `PUT /api/admin/accounts/{id}/tags`: sets them as a whole. */
export async function putTags(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const policy = await readInput(visit, tagPolicyInput);
  const problem = problemOfPolicy(policy);
  if (problem !== null) throw invalidRequest("invalid_parameter", `Invalid tags: ${problem}.`, "tags");
  const isEmpty = policy.required.length === 0 && Object.keys(policy.allowed).length === 0;
  const { accounts, tagPolicies, refreshTagPolicies } = services.managed;
  await withStorage(services, async () => {
    if ((await accounts.find(id)) === null) throw unknownAccount();
    await tagPolicies.set(id, isEmpty ? null : policy, by);
  });
  await refreshTagPolicies();
  return jsonAnswer(policy);
}

function unknownAccount() {
  return notFound("account_not_found", "There is no account with this id.", "id");
}
