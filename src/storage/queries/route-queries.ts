import { type Kysely, sql } from "kysely";
import type { RouteDefinition } from "../../routing/names/route.ts";
import type { RouteStore } from "../../routing/stored/route-store.ts";
import { routeFields } from "../../routing/stored/route-view.ts";
import type { WriteChange } from "./change-queries.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { RouteRow, Tables } from "../schema.ts";

/**
 * Stored routes. Triggers count their changes, those made by hand too. A change is one statement that finds the count as
 * it was: SQLite has one writer at a time, and Postgres holds the count's row until the change is committed.
 */
export function createRouteStore(db: Kysely<Tables>, kind: StorageKind, write: WriteChange): RouteStore {
  const held = kind === "postgres" ? sql`for update` : sql``;
  const unchanged = (version: number) =>
    sql`unchanged as (select changes from route_changes where changes = ${version} ${held})`;
  /** The route as it is. A change that finds the count as it was finds the route as it was too. */
  const find = async (id: string) => {
    const row = await db.selectFrom("routes").selectAll().where("id", "=", id).executeTakeFirst();
    return row ? routeFields(rowToDefinition(row)) : null;
  };
  return {
    async version() {
      return (await db.selectFrom("route_changes").select("changes").executeTakeFirstOrThrow()).changes;
    },
    async list() {
      const rows = await db.selectFrom("routes").selectAll().orderBy("id").execute();
      return rows.map((row) => ({ definition: rowToDefinition(row), updatedAt: row.updated_at }));
    },
    async put({ definition, updatedAt }, version, by) {
      const { id, ...rest } = definition;
      const before = await find(id);
      const statement = sql`with ${unchanged(version)}
        insert into routes (id, definition, updated_at)
          select cast(${id} as text), cast(${JSON.stringify(rest)} as text), cast(${updatedAt} as bigint)
            from unchanged where true
        on conflict (id) do update set definition = excluded.definition, updated_at = excluded.updated_at`;
      const action = before === null ? "create" : "change";
      const after = routeFields(definition);
      return write(statement.compile(db), { by, kind: "route", id, action, before, after });
    },
    async remove(id, version, by) {
      const before = await find(id);
      const statement = sql`with ${unchanged(version)}
        delete from routes where id = ${id} and exists (select 1 from unchanged)`;
      return write(statement.compile(db), { by, kind: "route", id, action: "remove", before, after: null });
    },
  };
}

function rowToDefinition({ id, definition }: RouteRow): RouteDefinition {
  // Only `put` above writes this column.
  return { id, ...JSON.parse(definition) } as RouteDefinition;
}
