/** The headers of a request, on demand. */
export interface RequestHeaders {
  /** The value of a header, its name in any case. Several of one name are joined by ", ". Null if there is none. */
  get(name: string): string | null;
  has(name: string): boolean;
}
