/** Icons as strokes on a grid of 16. */
const paths = {
  overview: "M2.5 13.5V8.5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5V5",
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  keys: "M9.6 6.4a3.1 3.1 0 1 0-2.2 2.9L8.6 10.5h1.6v1.6h1.6v1.6h2v-2.2L9.4 8.1",
  explorer: "M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2",
  models: "M8 2 13.5 5v6L8 14l-5.5-3V5zM8 8v6M8 8 2.5 5M8 8l5.5-3",
  prices:
    "M8 2v12M11 4.5C10.5 3.7 9.4 3.3 8 3.3c-1.7 0-3 .8-3 2.2 0 3.2 6.2 1.5 6.2 4.9 0 1.5-1.4 2.3-3.2 2.3-1.6 0-2.9-.6-3.4-1.6",
  accounts:
    "M2.5 5.500V12a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V6.500a1 1 0 0 0-1-1zm0 0a1.5 1.5 0 0 1 1.5-1.700h7V5.500M10.8 9.200h.01",
  changes: "M8 4.500V8l2.3 1.600M3 5A6 6 0 1 1 2 8.300M2.5 2.500V5H5",
  jobs: "M2.5 4h11v8.500h-11zM6.7 6.200v4l3.3-2z",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.500v3M6 9.500v3",
  api: "M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",
  copy: "M5.5 5.500h8v8h-8zM3.5 10.500h-1v-8h8v1",
  check: "M3 8.5 6.5 12 13 4.5",
  close: "M3.5 3.500l9 9M12.5 3.500l-9 9",
  plus: "M8 3v10M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  up: "M8 13V3.500M4 7l4-4 4 4",
  down: "M8 3v9.500M4 9l4 4 4-4",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  menu: "M2.5 4.500h11M2.5 8h11M2.5 11.500h11",
  back: "M9.5 3.5 5 8l4.5 4.5",
  next: "M6.5 3.5 11 8l-4.5 4.5",
  warning: "M8 2.5 14.5 13.500h-13zM8 6.500v3.500M8 12h.01",
  lock: "M4 7h8v6.500H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  download: "M8 2.500v7.500M4.8 7 8 10.2 11.2 7M3 13.500h10",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  columns: "M2.5 3.500h11v9h-11zM6.2 3.500v9M9.8 3.500v9",
  live: "M8 8h.01M5.2 10.800a4 4 0 0 1 0-5.600M10.8 5.200a4 4 0 0 1 0 5.600M3.3 12.700a6.6 6.6 0 0 1 0-9.400M12.7 3.300a6.6 6.6 0 0 1 0 9.4",
  send: "M8 13V3.500M4 7l4-4 4 4",
  retry: "M13 8a5 5 0 1 1-1.6-3.700M13 2.500v3h-3",
  image: "M2.5 3h11v10h-11zM5.5 6.200h.01M2.5 11l3-3 2.500 2.500 2-2 3.500 3",
  audit: "M3.500 2.500h9v11h-9zM5.800 5h4.400M5.600 9.300l1.600 1.600L10.500 7.600",
  stop: "M4.5 4.500h7v7h-7z",
} as const;

export type IconName = keyof typeof paths;

const thick: ReadonlySet<IconName> = new Set(["more", "grip"]);

export function Icon({ name, className = "size-4" }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth={thick.has(name) ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
