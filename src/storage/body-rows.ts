/** Whether the bodies of an account's requests are kept, and how. */
export interface BodyLogPolicyRow {
  account_id: string;
  /** JSON. */
  policy: string;
}

/** The bodies of a request. */
export interface RequestBodiesRow {
  /** The request's, which begins with its time. */
  id: string;
  account_id: string;
  /** Of both texts. */
  bytes: number;
  /** JSON. */
  request: string;
  answer: string;
}

/** What is kept of an account's bodies: triggers keep it. */
export interface BodyLogUsageRow {
  account_id: string;
  bytes: number;
  requests: number;
}
