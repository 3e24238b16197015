import { useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { useUser } from "../../session/session.ts";
import { chooseTheme, readTheme, themes } from "../../theme/theme.ts";
import { words } from "../../words/en.ts";
import { Invitations } from "./invitations.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Sessions } from "./sessions.tsx";
import { Users } from "./users.tsx";

const text = words.settings;

/** One's own settings and, for owners, the users. */
export function SettingsPage() {
  const user = useUser();
  const [theme, setTheme] = useState(readTheme);
  return (
    <Page title={text.title}>
      <Section title={text.theme}>
        <div className="px-4 pb-4 sm:px-6">
          <Choice
            label={text.theme}
            value={theme}
            options={themes.map((name) => [name, text.themes[name]])}
            onChange={(next) => {
              setTheme(next);
              chooseTheme(next);
            }}
          />
        </div>
      </Section>
      {user.role === "owner" && <Users />}
      {user.role === "owner" && <Invitations />}
      <Sessions />
      <Passkeys />
      <PasswordForm />
    </Page>
  );
}
