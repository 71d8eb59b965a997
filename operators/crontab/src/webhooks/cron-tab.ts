// What a schema cannot say of a CronTab: whether its schedule and its zone are any.
import { type FieldError, fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { ScheduleError, Schedules } from "@kubewright/runtime/schedule";
import { CronTab } from "../api/v1/cron-tab.js";

const schedules = new Schedules();

export const cronTabWebhook = defineWebhook(CronTab, {
  validate: ({ spec }) => [
    ...problems("spec.timeZone", spec.timeZone ?? "UTC", (zone) => schedules.zone(zone)),
    ...problems("spec.cronSpec", spec.cronSpec, (text) => schedules.parse(text)),
  ],
});

function problems(field: string, text: string, read: (text: string) => unknown): readonly FieldError[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [fieldError.invalid(field, text, error.message)];
  }
}
