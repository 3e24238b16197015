import type { Kysely, Selectable } from "kysely";
import type { Actor, Change, ChangeQuery, ChangeStore, NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import type { ChangeRow, Tables } from "../schema.ts";

/** A statement with its parameters, as Kysely compiles it. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Runs a statement and, if it changes a row, writes the change, or each of several, into the audit trail: all or nothing.
 * False if the statement changed nothing.
 */
export type WriteChange = (statement: Statement, changes: NewChange | readonly NewChange[]) => Promise<boolean>;

/** The statement that adds a change to the audit trail. */
export function changeStatement(db: Kysely<Tables>, change: NewChange, clock: Clock): Statement {
  const { by, kind, id, action, before, after } = change;
  const row = {
    created_at: clock.now(),
    actor_kind: by.kind,
    actor: by.kind === "key" ? by.id : by.kind === "gateway" ? null : by.user,
    kind,
    subject_id: id,
    action,
    state_before: before && JSON.stringify(before),
    state_after: after && JSON.stringify(after),
  };
  return db.insertInto("changes").values(row).compile();
}

/** The audit trail, alike on every database. */
export function createChangeStore(db: Kysely<Tables>): ChangeStore {
  return {
    async list({ kind, id, limit, after }: ChangeQuery) {
      let query = db.selectFrom("changes").selectAll();
      if (kind !== null) query = query.where("kind", "=", kind);
      if (id !== null) query = query.where("subject_id", "=", id);
      if (after !== null) query = query.where("sequence", "<", after);
      const rows = await query.orderBy("sequence", "desc").limit(limit).execute();
      return rows.map(rowToChange);
    },
    async creators(kind, ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("changes")
        .select(["subject_id", "actor_kind", "actor"])
        .where("kind", "=", kind)
        .where("subject_id", "in", ids)
        .where("action", "=", "create")
        .orderBy("sequence")
        .execute();
      return new Map(rows.map((row) => [row.subject_id, rowToActor(row)]));
    },
  };
}

function rowToChange(row: Selectable<ChangeRow>): Change {
  const { sequence, created_at: createdAt, kind, subject_id, action, state_before, state_after } = row;
  const by = rowToActor(row);
  const states = { before: stateOf(state_before), after: stateOf(state_after) };
  // Only `changeStatement` writes these columns.
  return { sequence, createdAt, by, kind: kind as Change["kind"], id: subject_id, action, ...states };
}

function rowToActor({ actor_kind: kind, actor }: Pick<Selectable<ChangeRow>, "actor_kind" | "actor">): Actor {
  if (kind === "key") return { kind, id: actor ?? "" };
  return kind === "command_line" || kind === "console" ? { kind, user: actor ?? "" } : { kind: "gateway" };
}

function stateOf(text: string | null): object | null {
  return text === null ? null : (JSON.parse(text) as object);
}
