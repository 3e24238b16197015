import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface TableProps {
  readonly label: string;
  /** The names of the columns; a name that begins with `>` stands at the right. */
  readonly columns: readonly string[];
  readonly children: ReactNode;
}

/** A table that scrolls by itself if the screen is too small for it. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-faint">
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={classNames(
                  "h-8 px-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6",
                  column.startsWith(">") && "text-right",
                )}
              >
                {column.replace(">", "")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Row({ className, ...rest }: ComponentProps<"tr">) {
  return (
    <tr
      {...rest}
      className={classNames(
        "border-b border-line last:border-b-0",
        rest.onClick && "cursor-pointer hover:bg-hover",
        className,
      )}
    />
  );
}

export function Cell({ right, className, ...rest }: ComponentProps<"td"> & { readonly right?: boolean }) {
  return (
    <td
      {...rest}
      className={classNames(
        "h-10 max-w-80 truncate px-2 first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6",
        right === true && "numeric text-right",
        className,
      )}
    />
  );
}
