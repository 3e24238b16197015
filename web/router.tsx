import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { Crash, NotFound } from "./shell/crash.tsx";
import { readSearch, type Search, writeSearch } from "./shell/search.ts";
import { Shell } from "./shell/shell.tsx";
import { sessionQuery } from "./session/session.ts";

const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  component: Outlet,
  validateSearch: (search: Search): Search => search,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./pages/sign-in/sign-in-page.tsx"), "SignInPage"),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  component: lazyRouteComponent(() => import("./pages/sign-in/set-up-page.tsx"), "SetUpPage"),
});

/** The pages behind the sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: "/sign-in", search: { next: location.publicHref } });
  },
});

const page = <Path extends string>(path: Path) => ({ getParentRoute: () => shell, path });

const pages = [
  createRoute({
    ...page("/"),
    component: lazyRouteComponent(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
  }),
  createRoute({
    ...page("/requests"),
    component: lazyRouteComponent(() => import("./pages/requests/requests-page.tsx"), "RequestsPage"),
  }),
  createRoute({
    ...page("/keys"),
    component: lazyRouteComponent(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
  }),
  createRoute({
    ...page("/explorer"),
    component: lazyRouteComponent(() => import("./pages/explorer/explorer-page.tsx"), "ExplorerPage"),
  }),
  createRoute({
    ...page("/search-backends"),
    component: lazyRouteComponent(() => import("./pages/backends/backends-page.tsx"), "BackendsPage"),
  }),
  createRoute({
    ...page("/models"),
    component: lazyRouteComponent(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
  }),
  createRoute({
    ...page("/prices"),
    component: lazyRouteComponent(() => import("./pages/prices/prices-page.tsx"), "PricesPage"),
  }),
  createRoute({
    ...page("/accounts"),
    component: lazyRouteComponent(() => import("./pages/accounts/accounts-page.tsx"), "AccountsPage"),
  }),
  createRoute({
    ...page("/account"),
    component: lazyRouteComponent(() => import("./pages/account/account-page.tsx"), "AccountPage"),
  }),
  createRoute({
    ...page("/changes"),
    component: lazyRouteComponent(() => import("./pages/changes/changes-page.tsx"), "ChangesPage"),
  }),
  createRoute({
    ...page("/jobs"),
    component: lazyRouteComponent(() => import("./pages/jobs/jobs-page.tsx"), "JobsPage"),
  }),
  createRoute({
    ...page("/settings"),
    component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
  }),
  createRoute({
    ...page("/api"),
    component: lazyRouteComponent(() => import("./pages/api/api-page.tsx"), "ApiPage"),
  }),
  createRoute({
    ...page("/audit"),
    component: lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
  }),
] as const;

/** The pages by their paths below `/console`. Each is loaded when it is first opened. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, setUp, shell.addChildren(pages)]),
    basepath: "/console",
    context: { queries },
    parseSearch: readSearch,
    stringifySearch: writeSearch,
    defaultPreload: "intent",
    defaultPendingMs: 150,
    defaultErrorComponent: Crash,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
