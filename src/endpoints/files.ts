import { invalidParameter, missingParameter, overloaded } from "../errors.ts";
import type { StoredFile } from "../files/file-store.ts";
import { isFileId } from "../files/file-id.ts";
import { nextTurn } from "../next-turn.ts";
import type { MultipartForm } from "../multipart/form.ts";
import type { Identity } from "../access/identity.ts";
import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { checkEndpointScope } from "../pipeline/plan-request.ts";
import { readForm } from "../pipeline/read-form.ts";
import { attachmentHeaders, contentAnswer } from "./content-answer.ts";
import { identify, identifyKey } from "./keyed.ts";
import { queryOf, type Visit } from "./visit.ts";

/** As scopes of keys name these paths. */
const endpoint = "files";
const purposes = ["assistants", "batch", "fine-tune", "vision", "user_data", "evals"] as const;
const daySeconds = 24 * 3_600;
/** Files for batches expire after this unless told otherwise, as at OpenAI. */
const batchSeconds = 30 * daySeconds;
/** What a form has beside its file at least; more does not matter here. */
const formBytes = 4 << 10;

/** Files of a list that are written in one turn. */
const writtenAtOnce = 1_000;

/** `POST /v1/files`: uploads a file. */
export async function createFile({ services, request }: Visit): Promise<Answer> {
  const identity = await identifyForFiles({ services, request }, identifyKey);
  if (services.inFlight.draining) throw overloaded("draining", "The gateway is shutting down.", 1);
  const { accountId } = identity.key;
  const admission = services.limits.admit(identity, true);
  services.inFlight.add();
  try {
    const hold = services.capacity.admit(identity.key.id);
    try {
      const announced = Number(request.headers.get("content-length") ?? 0);
      await services.files.checkRoom(accountId, Math.max(0, announced - formBytes));
      const form = await readForm(services, null, request, hold);
      const fields = readFields(form);
      const { filename, contentType } = fields.file;
      const file = await services.files.create({ ...fields, accountId, filename, contentType, content: fields.file });
      return jsonAnswer(fileView(file));
    } finally {
      hold.release();
    }
  } finally {
    services.inFlight.remove();
    admission.release();
  }
}

/** `GET /v1/files` */
export async function listFiles({ services, request }: Visit): Promise<Answer> {
  const { key } = await identifyForFiles({ services, request });
  const query = queryOf(request.target);
  const limit = query.get("limit") ?? "10000";
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > 10_000) {
    throw invalidParameter("limit", "a whole number from 1 to 10000");
  }
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidParameter("order", "asc or desc");
  const after = query.get("after");
  if (after !== null && !isFileId(after)) throw invalidParameter("after", "the id of a file");
  const purpose = query.get("purpose");
  if (purpose !== null) readPurpose(purpose);
  const page = await services.files.list({ accountId: key.accountId, purpose, after, order, limit: Number(limit) });
  const { files } = page;
  const ends = { first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null, has_more: page.hasMore };
  const body = `{"object":"list","data":[${await writeFiles(files)}],${JSON.stringify(ends).slice(1)}`;
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

/** The JSON texts of files, separated by commas. Many are written in several turns of the event loop. */
async function writeFiles(files: readonly StoredFile[]): Promise<string> {
  const texts: string[] = [];
  for (const file of files) {
    if (texts.length > 0 && texts.length % writtenAtOnce === 0) await nextTurn();
    texts.push(JSON.stringify(fileView(file)));
  }
  return texts.join();
}

/** `GET /v1/files/{id}` */
export async function retrieveFile(visit: Visit): Promise<Answer> {
  const { file } = await findFile(visit);
  return jsonAnswer(fileView(file));
}

/** `DELETE /v1/files/{id}` */
export async function deleteFile({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyForFiles({ services, request }, identifyKey);
  await services.files.delete(key.accountId, id);
  return jsonAnswer({ id, object: "file", deleted: true });
}

/** `GET /v1/files/{id}/content`: the bytes, or a range of them. */
export async function fileContent(visit: Visit): Promise<Answer> {
  const { file, keyId } = await findFile(visit);
  const { services, request } = visit;
  return contentAnswer(
    { services, request },
    {
      // The key of its blob would tell whether another account has the same content.
      tag: file.id,
      keyId,
      size: file.bytes,
      headers: attachmentHeaders(file.contentType, file.filename),
      read: (start, end) => services.files.read(file, start, end),
    },
  );
}

async function identifyForFiles(
  { services, request }: Pick<Visit, "services" | "request">,
  authenticate: typeof identifyKey = identify,
): Promise<Identity> {
  const identity = await authenticate(services, request);
  checkEndpointScope(identity, endpoint);
  return identity;
}

async function findFile({ services, request, id }: Visit): Promise<{ file: StoredFile; keyId: string }> {
  const { key } = await identifyForFiles({ services, request });
  return { file: await services.files.find(key.accountId, id), keyId: key.id };
}

const fieldNames = ["file", "purpose", "expires_after[anchor]", "expires_after[seconds]"] as const;

function readFields(form: MultipartForm) {
  for (const name of form.names) {
    if (!fieldNames.some((known) => known === name)) {
      throw invalidParameter(name, `one of the fields ${fieldNames.join(", ")}`);
    }
  }
  const file = form.file("file");
  const purpose = form.field("purpose");
  if (purpose === null) throw missingParameter("purpose");
  return { file, purpose: readPurpose(purpose), expiresAfterMs: readExpiry(form, purpose) };
}

function readPurpose(purpose: string): string {
  if (purposes.some((known) => known === purpose)) return purpose;
  throw invalidParameter("purpose", `one of ${purposes.join(", ")}`);
}

/** In milliseconds; null if the file does not expire. */
function readExpiry(form: MultipartForm, purpose: string): number | null {
  const anchor = form.field("expires_after[anchor]");
  const seconds = form.field("expires_after[seconds]");
  if (anchor === null && seconds === null) return purpose === "batch" ? batchSeconds * 1_000 : null;
  if (anchor === null) throw missingParameter("expires_after[anchor]");
  if (anchor !== "created_at") throw invalidParameter("expires_after[anchor]", "created_at");
  if (seconds === null) throw missingParameter("expires_after[seconds]");
  if (!/^\d{1,7}$/.test(seconds) || Number(seconds) < 3_600 || Number(seconds) > 30 * daySeconds) {
    throw invalidParameter("expires_after[seconds]", "a whole number from 3600 to 2592000");
  }
  return Number(seconds) * 1_000;
}

/** A file as OpenAI shows it. */
function fileView(file: StoredFile) {
  return {
    id: file.id,
    object: "file" as const,
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt / 1_000),
    ...(file.expiresAt !== null && { expires_at: Math.floor(file.expiresAt / 1_000) }),
    filename: file.filename,
    purpose: file.purpose,
    status: "processed" as const,
  };
}
