/** The text of a query, with the type of its rows. */
export type AuditQuery<Row> = string & { readonly row?: Row };

/** Looks at each row that a query gives, and returns how many there were. */
export type ReadEach = <Row extends object>(query: AuditQuery<Row>, look: (row: Row) => void) => Promise<number>;
