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
const inStatus = (field: string): string => `Hpa.status.${field}`;

export default {
  rest: "3m",
  scenario: objectsScenario([deployment, calendar, timetable], {
    timePasses: "28m",
    isDeleted: ({ kind }) => kind !== "Deployment",
  }),
  // Sizes and histories depend on which jobs were due while the timetable was what it is.
  byHistory: [
    ...[
      "currentSize",
      "activeJob",
      "handledUntil",
      "sizeBefore",
      "restored",
      "lastRestoreTime",
      "history",
    ].map(inStatus),
    ...["*.since", "*.lastRun", "*.lastResult", "*.missed", "Deployment.spec.replicas"],
  ],
} satisfies TortureSettings;
