/** A page of the built-in corpus. */
export interface Page {
  readonly title: string;
  readonly url: string;
  readonly text: string;
  /** Whether it is news: found by searches of news as well as of the web. */
  readonly isNews: boolean;
  /** Days before now. */
  readonly ageDays: number;
}
