import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { OperatorFile } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago } from "../../components/values.tsx";
import { bytes } from "../../format/number.ts";
import { exactTime } from "../../format/time.ts";
import { words } from "../../words/en.ts";
import { AccountFilter } from "./account-filter.tsx";
import { Media } from "./media.tsx";

const text = words.jobs;

/** The uploaded files of all accounts. */
export function Files() {
  const [account, setAccount] = useState<string | null>(null);
  const [open, setOpen] = useState<OperatorFile | null>(null);
  const query = useInfiniteQuery({
    queryKey: ["files", account],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => {
      const asked = { ...(account !== null && { account }), ...(pageParam !== null && { after: pageParam }) };
      return answerOf(api.GET("/api/admin/files", { params: { query: asked } }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  });
  return (
    <Section title={text.files} actions={<AccountFilter account={account} onChange={setAccount} />}>
      <Loaded query={query} rows={3}>
        {({ pages }) => {
          const files = pages.flatMap(({ data }) => data);
          if (files.length === 0) {
            return (
              <p className="px-4 pb-4 text-sm text-dim sm:px-6">{account === null ? text.noFiles : text.noneMatch}</p>
            );
          }
          return (
            <>
              <Table label={text.files} columns={text.fileColumns}>
                {files.map((file) => (
                  <Row key={file.id} onClick={() => setOpen(file)}>
                    <Cell className="font-medium">{file.filename}</Cell>
                    <Cell className="text-dim">{file.purpose}</Cell>
                    <Cell className="text-dim">{file.content_type}</Cell>
                    <Cell right>{bytes(file.bytes)}</Cell>
                    <Cell className="text-dim">{file.account}</Cell>
                    <Cell className="text-dim">
                      <Ago at={file.created_at} />
                    </Cell>
                    <Cell className="text-right">
                      <Button small onClick={() => setOpen(file)}>
                        {text.look}
                      </Button>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <Sheet open={open !== null} onClose={() => setOpen(null)} title={open?.filename ?? ""}>
        {open && <FileView key={open.id} file={open} />}
      </Sheet>
    </Section>
  );
}

function FileView({ file }: { readonly file: OperatorFile }) {
  const names = text.fileFacts;
  return (
    <>
      <Media path={`/api/admin/files/${file.id}/content`} contentType={file.content_type} name={file.filename} />
      <div className="p-4">
        <Facts
          facts={[
            [names.account, file.account],
            [names.purpose, file.purpose],
            [names.type, file.content_type],
            [names.size, bytes(file.bytes)],
            [names.uploaded, exactTime(file.created_at)],
            [names.expires, file.expires_at === null ? words.common.unlimited : exactTime(file.expires_at)],
            [names.id, <CopyText key="id" text={file.id} />],
          ]}
        />
      </div>
    </>
  );
}
