// What `kubewright torture` does to this operator. Virtual time begins at midnight; one run is due a minute later, the next after an hour.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const cronTab = {
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name: "tick" },
  spec: { cronSpec: "1 * * * *", image: "busybox", replicas: 2 },
};
const scenario = objectsScenario([cronTab], {
  changed: [
    { ...cronTab, spec: { cronSpec: "2 * * * *", image: "busybox:2", successfulJobsHistoryLimit: 1 } },
  ],
});
const [create, , change, remove] = scenario.steps;

export default {
  rest: "3m",
  scenario: {
    ...scenario,
    steps: [
      ...(create ? [create] : []),
      { name: "the next run is due", run: (cluster) => cluster.advance("58m") },
      ...(change ? [change] : []),
      { name: "the changed run is due", run: (cluster) => cluster.advance("57m") },
      ...(remove ? [remove] : []),
    ],
  },
  // Which runs there were depends on when the schedule became what it is.
  byHistory: ["Job", "CronTab.status"],
} satisfies TortureSettings;
