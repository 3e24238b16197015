import { useState } from "react";
import { Button, buttonClass } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Menu } from "../../components/menu.tsx";
import type { Range } from "../../range/range.ts";
import { useUser } from "../../session/session.ts";
import { exportUrl } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";
import { type ColumnId, columns } from "./columns.tsx";
import { type Filters, toUsageFilter } from "../../filters/filters.ts";
import { ListMenuWords } from "./list-menus-outline.tsx";
import type { View } from "./list-settings.ts";

const text = words.requests;

interface ListMenusProps {
  readonly filters: Filters;
  readonly range: Range;
  readonly settings: { readonly columns: readonly ColumnId[]; readonly views: readonly View[] };
  readonly onSettings: (part: { columns?: readonly ColumnId[]; views?: readonly View[] }) => void;
  readonly onFilters: (filters: Filters) => void;
}

/** Views, columns, and the list as a file. */
export function ListMenus({ filters, range, settings, onSettings, onFilters }: ListMenusProps) {
  const user = useUser();
  const [isSaving, setSaving] = useState(false);
  const { views } = settings;
  const toggle = (id: ColumnId) => {
    const chosen = settings.columns.includes(id)
      ? settings.columns.filter((each) => each !== id)
      : [...settings.columns, id];
    if (chosen.length > 0) onSettings({ columns: chosen });
  };
  const download = (format: "csv" | "jsonl") => location.assign(exportUrl(user, toUsageFilter(filters), range, format));
  const show = (view: View) => {
    onSettings({ columns: view.columns });
    onFilters(view.filters);
  };
  const trigger = buttonClass("plain", true);
  return (
    <>
      <Menu
        label={text.views}
        triggerClass={trigger}
        trigger={text.views}
        items={[
          ...views.map((view) => ({ label: view.name, act: () => show(view) })),
          { label: text.saveView, act: () => setSaving(true) },
          ...views.map((view) => ({
            label: text.deleteView(view.name),
            danger: true,
            act: () => onSettings({ views: views.filter((each) => each !== view) }),
          })),
        ]}
      />
      <Menu
        label={text.columns}
        triggerClass={trigger}
        trigger={<ListMenuWords icon="columns">{text.columns}</ListMenuWords>}
        items={columns.map(({ id }) => ({
          label: text.column[id],
          checked: settings.columns.includes(id),
          act: () => toggle(id),
        }))}
      />
      <Menu
        label={text.export}
        triggerClass={trigger}
        trigger={<ListMenuWords icon="download">{text.export}</ListMenuWords>}
        items={[
          { label: text.exportAs.csv, act: () => download("csv") },
          { label: text.exportAs.jsonl, act: () => download("jsonl") },
        ]}
      />
      {isSaving && (
        <SaveView
          onClose={() => setSaving(false)}
          onSave={(name) => {
            const view = { name, filters, columns: settings.columns };
            onSettings({ views: [...views.filter((each) => each.name !== name), view] });
          }}
        />
      )}
    </>
  );
}

function SaveView({ onClose, onSave }: { readonly onClose: () => void; readonly onSave: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog open onClose={onClose} title={text.saveView} description={text.noViews}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(name.trim());
          onClose();
        }}
      >
        <TextField
          label={text.viewName}
          required
          autoFocus
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <DialogActions>
          <Button type="submit" look="primary" disabled={name.trim() === ""}>
            {words.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
