// What `kubewright torture` does to this operator. Virtual time begins at midnight; one job is due a minute later, another after half an hour.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
  },
};
const calendar = {
  apiVersion: "autoscal.aiops.org/v1",
  kind: "HolidayCalendar",
  metadata: { name: "holidays" },
  spec: { dates: ["2026-12-25"] },
};
const timetable = {
  apiVersion: "autoscal.aiops.org/v1",
  kind: "Hpa",
  metadata: { name: "plan" },
  spec: {
    scaleTarget: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    calendars: ["holidays"],
    jobs: [
      { name: "up", schedule: "1 * * * *", size: 3 },
      { name: "down", schedule: "31 * * * *", size: 1 },
    ],
  },
};
const scenario = objectsScenario([deployment, calendar, timetable], {
  isDeleted: ({ kind }) => kind !== "Deployment",
});
const [create, , remove] = scenario.steps;

export default {
  rest: "3m",
  scenario: {
    ...scenario,
    steps: [
      ...(create ? [create] : []),
      { name: "the second job is due", run: (cluster) => cluster.advance("28m") },
      ...(remove ? [remove] : []),
    ],
  },
  // After a crash between a run and the report of it the size is right already, and the report says so: Unchanged.
  ignore: ["Hpa.status.history", "*.lastResult"],
  // Sizes and histories depend on which jobs were due while the timetable was what it is.
  byHistory: ["Hpa.status", "Deployment.spec.replicas"],
} satisfies TortureSettings;
