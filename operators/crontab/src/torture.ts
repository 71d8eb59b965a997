// What `kubewright torture` does to this operator. Virtual time begins at midnight; one run is due a minute later, the next after an hour.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const cronTab = {
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name: "tick" },
  spec: { cronSpec: "1 * * * *", image: "busybox", replicas: 2 },
};
const inStatus = (field: string): string => `CronTab.status.${field}`;

export default {
  rest: "3m",
  scenario: objectsScenario([cronTab], {
    changed: [
      { ...cronTab, spec: { cronSpec: "2 * * * *", image: "busybox:2", successfulJobsHistoryLimit: 1 } },
    ],
    timePasses: "58m",
  }),
  // Which runs there were depends on when the schedule became what it is.
  byHistory: [
    "Job",
    ...["active", "lastScheduleTime", "lastSuccessfulTime", "handledUntil"].map(inStatus),
    ...["lastRunNow", "missed", "skipped", "failed", "failedJobs"].map(inStatus),
  ],
} satisfies TortureSettings;
