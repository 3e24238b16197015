import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ApiKey, KeyStore } from "../../access/key.ts";
import { keySettingsView } from "../../access/key-view.ts";
import type { Actor, NewChange } from "../../changes/change.ts";
import type { WriteChange } from "./change-queries.ts";
import { keyToRow, rowToKey } from "../key-row.ts";
import type { KeyRow, Tables } from "../schema.ts";

/** Attempts to apply a change while others change the same key too. */
const maxTries = 10;

/** The queries of a key store that are the same on every database. */
export function createKeyQueries(db: Kysely<Tables>, write: WriteChange): Omit<KeyStore, "find"> {
  const find = (id: string) => db.selectFrom("keys").selectAll().where("id", "=", id).executeTakeFirst();
  return {
    async list() {
      const rows = await db.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map(rowToKey);
    },
    async page({ limit, after }) {
      let query = db.selectFrom("keys").selectAll();
      if (after !== null) {
        const place = sql`select created_at, id from keys where id = ${after}`;
        query = query.where(sql<boolean>`(created_at, id) < (${place})`);
      }
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map(rowToKey);
    },
    async insert(key, by) {
      const after = keySettingsView(key);
      const change = { by, kind: "key", id: key.id, action: "create", before: null, after } as const;
      await write(db.insertInto("keys").values(keyToRow(key)).compile(), change);
    },
    async update(id, decide, by) {
      for (let tries = 0; tries < maxTries; tries++) {
        const row = await find(id);
        if (row === undefined) return null;
        const before = rowToKey(row);
        const after = { ...before, ...decide(before) };
        const columns = changedColumns(row, keyToRow(after));
        if (Object.keys(columns).length === 0) return before;
        const statement = db.updateTable("keys").set(columns).where(isStill(row)).compile();
        if (await write(statement, changeOf(before, after, by))) return after;
      }
      throw new Error(`The key ${id} could not be changed: in ${maxTries} attempts others were always quicker.`);
    },
  };
}

function changeOf(before: ApiKey, after: ApiKey, by: Actor): NewChange {
  return {
    by,
    kind: "key",
    id: before.id,
    action: actionOf(before, after),
    before: keySettingsView(before),
    after: keySettingsView(after),
  };
}

function actionOf(before: ApiKey, after: ApiKey): string {
  if (before.secretHash !== after.secretHash) return "rotate";
  if ((before.disabledAt === null) === (after.disabledAt === null)) return "change";
  return after.disabledAt === null ? "enable" : "disable";
}

function changedColumns(before: KeyRow, after: KeyRow): Partial<KeyRow> {
  const changed = Object.entries(after).filter(([column, value]) => before[column as keyof KeyRow] !== value);
  return Object.fromEntries(changed);
}

/** Whether a row of `keys` is as it was read, so that of two changes at once neither is lost. */
function isStill(row: KeyRow): RawBuilder<boolean> {
  const parts = Object.entries(row).map(([column, value]) =>
    value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`,
  );
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}
