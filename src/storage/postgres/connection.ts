import { type ClientConfig, types, TypeOverrides } from "pg";

const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

/** How long a statement may run before Postgres ends it. */
const statementTimeoutMs = 2_500;

/**
 * How every connection is made: nothing waits for ever, and 64-bit integers come as numbers (none of ours reaches 2^53).
 * The client gives up a little after the server should have.
 */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 500,
    keepAlive: true,
    fallback_application_name: "tollgate",
    // To compile a statement takes longer than to run any of ours.
    options: "-c jit=off",
    types: numbers,
  };
}

/** The same for migrations, which may take as long as they need. */
export function migrationConfig(url: string): ClientConfig {
  return { ...connectionConfig(url), statement_timeout: false, query_timeout: undefined };
}
