/** A file that an account has uploaded. */
export interface UploadedFile {
  readonly filename: string;
  /** By its first bytes. */
  readonly contentType: string;
  readonly size: number;
  /** Each call reads from the beginning. */
  readonly stream: () => AsyncIterable<Uint8Array>;
}

/** The uploaded files of all accounts. */
export interface UploadedFiles {
  /** Rejects with a 404 if the account has no such file. */
  open(accountId: string, id: string): Promise<UploadedFile>;
}
