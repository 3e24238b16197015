import type { RequestRow } from "./schema.ts";

/** Each column of `requests` with its type on Postgres, in the order in which statements name them. */
export const requestColumnTypes = {
  id: "text",
  key_id: "text",
  response_id: "text",
  created_at: "bigint",
  model: "text",
  endpoint: "text",
  stream: "integer",
  status: "text",
  error_type: "text",
  error_code: "text",
  strategy_name: "text",
  resolved_model: "text",
  provider: "text",
  status_code: "integer",
  latency_ms: "bigint",
  time_to_first_byte_ms: "bigint",
  upstream_ms: "bigint",
  attempts: "integer",
  input_tokens: "bigint",
  output_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  cache_write_5m_tokens: "bigint",
  cache_write_1h_tokens: "bigint",
  cache_miss_tokens: "bigint",
  amount_microusd: "bigint",
  billing_status: "text",
  pricing_version: "integer",
  details: "text",
} as const satisfies Record<keyof RequestRow, "text" | "integer" | "bigint">;

// Object.keys knows names only as strings; `satisfies` above has checked them.
export const requestColumns = Object.keys(requestColumnTypes) as (keyof RequestRow)[];
