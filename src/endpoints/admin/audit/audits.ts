import type { Audits } from "../../../audits/audits.ts";
import { auditView, fullAuditView } from "../../../audits/audit-view.ts";
import { GatewayError, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { auditListQuery } from "./audit-schemas.ts";
import { toPage } from "../input/page.ts";
import { readInput, readQuery } from "../input/read-input.ts";
import { noInput } from "../input/no-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `POST /api/admin/audit`: begins an audit. One can run at a time, in all gateways on the storage. */
export async function startAudit(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  await readInput(visit, noInput);
  const { audits } = services.managed;
  const { id, isNew } = await withStorage(services, () => audits.start(by));
  if (!isNew) throw GatewayError.of("audit_running", `The audit '${id}' is running. One audit can run at a time.`);
  return jsonAnswer(auditView(await findAudit(visit, audits, id)), 202);
}

/** `GET /api/admin/audits`: newest first. */
export async function listAudits(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, auditListQuery);
  const found = await withStorage(services, () => services.managed.audits.list({ limit: limit + 1, after }));
  return jsonAnswer(toPage(found, limit, auditView, ({ id }) => id));
}

/** `GET /api/admin/audits/{id}`: with the first of its findings. */
export async function showAudit(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  return jsonAnswer(fullAuditView(await findAudit(visit, services.managed.audits, id)));
}

/** `POST /api/admin/audits/{id}/cancel` */
export async function cancelAudit(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  await readInput(visit, noInput);
  const { audits } = services.managed;
  await findAudit(visit, audits, id);
  const isCancelled = await withStorage(services, () => audits.cancel(id));
  if (!isCancelled) throw GatewayError.of("audit_not_running", `The audit '${id}' is not running.`);
  return jsonAnswer(auditView(await findAudit(visit, audits, id)));
}

async function findAudit({ services }: Visit, audits: Pick<Audits, "find">, id: string) {
  const audit = await withStorage(services, () => audits.find(id));
  if (audit === null) throw notFound("audit_not_found", `No such audit: '${id.slice(0, 64)}'.`, "id");
  return audit;
}
