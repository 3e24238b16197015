import { Database } from "bun:sqlite";
import { retryWhileBusy } from "./busy.ts";

/** Keeps others from committing to a file while several readers of it begin. */
export async function atOneMoment(path: string, begin: () => Promise<void>): Promise<void> {
  const writer = new Database(path, { readwrite: true, create: false });
  try {
    await retryWhileBusy(() => void writer.run("begin immediate"));
    await begin();
  } finally {
    writer.close();
  }
}
