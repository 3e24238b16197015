import { formatUsd } from "../usd.ts";
import type { Budget } from "./budget.ts";

/** A budget in words: `10.00 USD per day for each end user of the account team`. */
export function describeBudget(budget: Budget): string {
  const { amountMicrousd, per, each, timeZone } = budget;
  const period = per === "total" ? "in all" : per === "session" ? "a session" : `per ${per}`;
  const zone = timeZone === "UTC" || per === "total" || per === "session" ? "" : ` (${timeZone})`;
  const scope = scopeText(budget);
  const whose = each === null ? (scope === "" ? "" : ` for ${scope}`) : ` for each ${each.replace("_", " ")}`;
  return `${formatUsd(amountMicrousd)} USD ${period}${zone}${whose}${each === null || scope === "" ? "" : ` of ${scope}`}`;
}

function scopeText({ accountId, keyId, model, tag, endUser, session }: Budget): string {
  const parts: string[] = [];
  if (keyId !== null) parts.push(`the key ${keyId}`);
  else if (accountId !== null) parts.push(`the account ${accountId}`);
  if (model !== null) parts.push(`the model ${model}`);
  if (tag !== null) parts.push(`the tag ${tag.name}=${tag.value}`);
  if (endUser !== null) parts.push(`the end user ${endUser}`);
  if (session !== null) parts.push(`the session ${session}`);
  return parts.join(", ");
}
