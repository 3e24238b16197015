import type { UsageRecord } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { words } from "../../words/en.ts";

type Status = UsageRecord["status"];

const tones: Readonly<Record<Status, Tone>> = {
  succeeded: "good",
  failed: "bad",
  refused: "warn",
  cancelled: "plain",
  pending: "accent",
};

export function StatusBadge({ status }: { readonly status: Status }) {
  return <Badge tone={tones[status]}>{words.requests.status[status]}</Badge>;
}
