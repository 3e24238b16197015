export const jobs = {
  title: "Jobs",
  description: "Films that are being made or were made, and the events that webhooks are told of.",
  videos: "Video jobs",
  videoColumns: ["Job", "Model", "Status", "Account", "Provider", "Created", ""],
  status: { queued: "Queued", in_progress: "In progress", completed: "Completed", failed: "Failed" } as Readonly<
    Record<string, string>
  >,
  progress: (percent: number) => `${percent} %`,
  unpaid: "Only those whose cost no caller pays",
  noVideosTitle: "No jobs yet",
  noVideos: "A request to /v1/videos begins a job. Its progress and its film are found here.",
  record: "Record",
  deleted: "Deleted",
  events: "Events for webhooks",
  eventColumns: ["Event", "Account", "When", "Delivered", ">Failed attempts", ""],
  undelivered: "Only undelivered",
  noEvents: "No events. Webhooks of the configuration are told of finished jobs, budgets and unpriced requests.",
  waiting: "Waiting",
  retry: "Send again",
  retried: (id: string) => `${id} is sent again`,
  show: "Show",
} as const;
