/** Words that several pages use. */
export const common = {
  cancel: "Cancel",
  close: "Close",
  copied: "Copied",
  copy: "Copy",
  copyThis: "Copy",
  requestId: "Request id",
  tryAgain: "Try again",
  save: "Save",
  create: "Create",
  delete: "Delete",
  add: "Add",
  edit: "Edit",
  done: "Done",
  more: "More",
  loadMore: "Load more",
  loading: "Loading",
  all: "All",
  none: "None",
  never: "Never",
  yes: "Yes",
  no: "No",
  unlimited: "Unlimited",
  search: "Search",
  clear: "Clear",
  default: "Default",
  refresh: "Refresh",
  lockedByConfig: "Set in the configuration file. It cannot be changed here.",
} as const;

export const shell = {
  navigation: "Pages",
  openMenu: "Open the menu",
  skip: "Skip to the page",
  find: "Find",
  help: "Shortcuts",
  signOut: "Sign out",
  user: (email: string) => `Signed in as ${email}`,
  crashed: "This page cannot be shown",
  notFound: "There is no such page",
  notFoundMore: "The address may be mistyped, or the page may have moved.",
} as const;

export const places = {
  overview: "Overview",
  requests: "Requests",
  keys: "API Keys",
  explorer: "Explorer",
  backends: "Search backends",
  models: "Providers and models",
  prices: "Price lists",
  accounts: "Accounts",
  account: "Account",
  changes: "Changes",
  jobs: "Jobs",
  settings: "Settings",
  api: "API",
  audit: "Audit",
} as const;

export const roles = { owner: "Owner", operator: "Operator", member: "Member" } as const;

export const palette = {
  label: "Find a page or an action",
  placeholder: "Go to a page, do something, or paste a request id",
  nothing: "Nothing has this name.",
  keys: "Ctrl K",
  openRequest: (id: string) => `Open the request ${id}`,
  newKey: "Create an API key",
  newBackend: "Add a search backend",
  newProvider: "Add a provider",
  newAccount: "Create an account",
  failed: "Show failed requests",
  theme: (theme: "system" | "light" | "dark") =>
    ({ system: "Use the theme of the system", light: "Use the light theme", dark: "Use the dark theme" })[theme],
} as const;

export const help = {
  title: "Keyboard shortcuts",
  goTo: (name: string) => `Go to ${name}`,
  keys: [
    ["Ctrl K", "Find a page or an action"],
    ["?", "Show these shortcuts"],
    ["/", "Search or filter this page"],
    ["j  k", "Next and previous request"],
    ["Enter", "Open the selected request"],
    ["Esc", "Close what is open"],
  ],
} as const;

export const range = { label: "Time range" } as const;
