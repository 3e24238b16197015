import type { RequestRow } from "./schema.ts";

/** Each column of `requests` with its type on Postgres, in the order in which statements name them. */
export const requestColumnTypes = {
  id: "text",
  key_id: "text",
  response_id: "text",
  created_at: "bigint",
  model: "text",
  endpoint: "text",
  status: "text",
  amount_microusd: "bigint",
  input_tokens: "bigint",
  output_tokens: "bigint",
  body: "text",
  account_id: "text",
  held_microusd: "bigint",
  tags: "text",
  end_user: "text",
  session: "text",
  provider: "text",
  latency_ms: "bigint",
} as const satisfies Record<keyof RequestRow, "text" | "integer" | "bigint">;

// Object.keys knows names only as strings; `satisfies` above has checked them.
export const requestColumns = Object.keys(requestColumnTypes) as (keyof RequestRow)[];
