/** What this room has to say while it runs. A pino logger fits. */
export interface RecordsLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
