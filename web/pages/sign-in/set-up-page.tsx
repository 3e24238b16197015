import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ask } from "../../api/transport.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { words } from "../../words/en.ts";
import { type ConsoleLink, SetUpForm } from "./set-up-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

const text = words.signIn;

/** What a link of the gateway leads to: the first owner, an invitation, or a new password. */
export function SetUpPage() {
  const token = useLinkToken();
  return token === undefined ? <NoLink error={new Error(text.noToken)} /> : <LinkPage token={token} />;
}

/** The token behind the `#`, which then leaves the address bar and the history. */
function useLinkToken(): string | undefined {
  const hash = useLocation({ select: (at) => at.hash });
  const found = tokenIn(hash);
  const [token, setToken] = useState(found);
  useEffect(() => {
    if (found === undefined) return;
    setToken(found);
    history.replaceState(history.state, "", location.pathname);
  }, [found]);
  return token;
}

function tokenIn(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, "")).get("token") ?? undefined;
}

function LinkPage({ token }: { readonly token: string }) {
  const link = useQuery({
    queryKey: ["link", token],
    // The link is used up by the form, and asking again would count as an attempt.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    queryFn: () => ask<ConsoleLink>("POST", "/console/auth-setup/check", { token }),
  });
  if (link.error) return <NoLink error={link.error} />;
  if (!link.data) return null;
  const { title, more } = text.link[link.data.kind];
  return (
    <SignInFrame title={title} description={more}>
      <SetUpForm token={token} link={link.data} />
    </SignInFrame>
  );
}

function NoLink({ error }: { readonly error: Error }) {
  return (
    <SignInFrame title={text.linkTitle}>
      <ErrorNote error={error} />
      <p className="mt-3 text-sm text-dim">
        {text.noTokenMore} <code className="font-mono text-xs">{text.linkCommand}</code>
      </p>
    </SignInFrame>
  );
}
