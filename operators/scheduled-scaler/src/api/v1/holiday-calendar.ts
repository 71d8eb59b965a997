// Days that many timetables rest on, written once: public holidays, freezes.
import type { ObjectOf } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";

export const HolidayCalendar = defineResource({
  group: "autoscal.aiops.org",
  version: "v1",
  kind: "HolidayCalendar",
  plural: "holidaycalendars",
  shortNames: ["holidays"],
  scope: "Cluster",
  spec: z
    .object({
      description: z.string().max(200).optional().describe("Whose days these are"),
      dates: z
        .array(z.string().min(1).max(100))
        .max(400)
        .describe("Days of rest: 2026-12-25, 2026-12-24..2026-12-26, or the days of a cron expression"),
    })
    .describe("Days on which timetables that name this calendar rest"),
  columns: { Description: ".spec.description" },
});

export type HolidayCalendar = ObjectOf<typeof HolidayCalendar>;
