import type { SearchBackend } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { words } from "../../words/en.ts";

const text = words.backends;

/** How a search backend does, in a word. */
export function HealthBadge({ backend }: { readonly backend: SearchBackend }) {
  const { health, enabled } = backend;
  if (enabled === false) return <Badge>{text.off}</Badge>;
  if (!health) return <Badge tone="warn">{text.notInForce}</Badge>;
  if (health.circuit !== "closed") return <Badge tone="bad">{text.circuit(health.circuit)}</Badge>;
  return health.status === "healthy" ? (
    <Badge tone="good">{text.healthy}</Badge>
  ) : (
    <Badge tone="bad">{text.unhealthy}</Badge>
  );
}
