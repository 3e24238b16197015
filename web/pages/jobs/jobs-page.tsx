import { Page } from "../../components/page.tsx";
import { words } from "../../words/en.ts";
import { Events } from "./events.tsx";
import { Files } from "./files.tsx";
import { Videos } from "./videos.tsx";

/** The jobs and files of all accounts, and what webhooks are told. */
export function JobsPage() {
  return (
    <Page title={words.jobs.title} description={words.jobs.description}>
      <Videos />
      <Files />
      <Events />
    </Page>
  );
}
