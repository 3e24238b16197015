import { useQuery } from "@tanstack/react-query";
import { Sheet } from "../../components/dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { useUser } from "../../session/session.ts";
import { showRecord } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";
import { RecordView } from "./record-view.tsx";

interface RecordSheetProps {
  /** Null for none. */
  readonly id: string | null;
  readonly onClose: () => void;
}

/** One request, beside the list. */
export function RecordSheet({ id, onClose }: RecordSheetProps) {
  return (
    <Sheet open={id !== null} onClose={onClose} title={words.record.title}>
      {id !== null && <RecordOf key={id} id={id} />}
    </Sheet>
  );
}

function RecordOf({ id }: { readonly id: string }) {
  const user = useUser();
  const query = useQuery({
    queryKey: ["record", id],
    queryFn: () => showRecord(user, id),
    // A job's record is final once the job has ended.
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  return <Loaded query={query}>{(record) => <RecordView record={record} />}</Loaded>;
}
