import type { Audit } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, None } from "../../components/values.tsx";
import { count } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { AuditResult, starterOf, Took } from "./audit-result.tsx";

const text = words.audit;

interface AuditTableProps {
  readonly audits: readonly Audit[];
  readonly onOpen: (id: string) => void;
}

/** Audits that have ended. */
export function AuditTable({ audits, onOpen }: AuditTableProps) {
  return (
    <Table label={text.title} columns={text.columns}>
      {audits.map((audit) => (
        <Row key={audit.id} onClick={() => onOpen(audit.id)}>
          <Cell className="text-dim">
            <Ago at={audit.started_at} />
          </Cell>
          <Cell>{starterOf(audit)}</Cell>
          <Cell>
            <AuditResult audit={audit} />
          </Cell>
          <Count of={audit.records} />
          <Count of={audit.entries} />
          <Count of={audit.accounts} />
          <Cell right>
            <Took audit={audit} />
          </Cell>
          <Cell className="text-right">
            <Button small onClick={() => onOpen(audit.id)}>
              {text.open}
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Count({ of }: { readonly of: number | null }) {
  return <Cell right>{of === null ? <None /> : count(of)}</Cell>;
}
