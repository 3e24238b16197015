import { GatewayError, overloaded } from "../../../errors.ts";
import type { Services } from "../../../pipeline/services.ts";

/** Does something with the storage. Throws a 503 if the storage fails; what the work itself refuses is thrown as it is. */
export async function withStorage<Result>(
  { log }: Pick<Services, "log">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    log.warn({ error: String(error) }, "The storage fails an operator.");
    throw overloaded("storage_unavailable", "The storage cannot be used at the moment.", 5);
  }
}
