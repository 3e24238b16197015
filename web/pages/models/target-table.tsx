import type { TargetHealth } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, None } from "../../components/values.tsx";
import { count, milliseconds, share } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.models;

const tones: Readonly<Record<TargetHealth["state"], Tone>> = { closed: "good", open: "bad", half_open: "warn" };

/** How each target has been doing, in the process that answers. */
export function TargetTable({ targets }: { readonly targets: readonly TargetHealth[] }) {
  return (
    <Table label={text.targets} columns={text.targetColumns}>
      {targets.map((target, index) => (
        <Row key={index}>
          <Cell className="font-medium">{target.provider ?? text.hidden}</Cell>
          <Cell>{target.model}</Cell>
          <Cell className="text-dim">{target.upstream_model ?? text.hidden}</Cell>
          <Cell>
            <Badge tone={tones[target.state]}>{text.circuit[target.state]}</Badge>{" "}
            {target.open_until !== null && (
              <span className="text-xs text-dim">
                <Ago at={target.open_until} />
              </span>
            )}
          </Cell>
          <Cell right>{target.error_rate === 0 ? <None /> : share(target.error_rate)}</Cell>
          <Cell right>{target.latency_ms === null ? <None /> : milliseconds(target.latency_ms)}</Cell>
          <Cell right>{target.in_flight === 0 ? <None /> : count(target.in_flight)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
