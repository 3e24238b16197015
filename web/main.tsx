import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/error.ts";
import { setCsrf, whenSignedOut } from "./api/transport.ts";
import { firstPageIsThere } from "./components/later.ts";
import { createConsoleRouter } from "./router.tsx";
import { forgetKeys } from "./session/explorer-key.ts";
import { sessionQuery } from "./session/session.ts";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the gateway has refused it refuses again.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});
const router = createConsoleRouter(queries);
const unsubscribe = router.subscribe("onRendered", () => {
  unsubscribe();
  firstPageIsThere();
});

whenSignedOut(() => {
  setCsrf(null);
  forgetKeys();
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate();
});

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
