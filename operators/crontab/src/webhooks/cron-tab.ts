// Validation of a CronTab beyond its schema: its schedule and its time zone.
import { type FieldError, fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { ScheduleError, Schedules, zoneNameProblem } from "@kubewright/runtime/schedule";
import { CronTab } from "../api/v1/cron-tab.js";

const schedules = new Schedules();

export const cronTabWebhook = defineWebhook(CronTab, {
  validate({ spec }, { oldObject, now, warn }) {
    // Objects of a CRD that demands nothing may have no spec at all.
    const cronSpec: string | undefined = spec?.cronSpec;
    if (cronSpec === undefined) return [fieldError.required("spec.cronSpec", "it says when to run")];
    const { timeZone = "UTC" } = spec;
    const isStored = timeZone === (oldObject?.spec?.timeZone ?? "UTC");
    const zoneProblem = isStored ? undefined : zoneNameProblem(timeZone);
    if (zoneProblem !== undefined) return [fieldError.invalid("spec.timeZone", timeZone, zoneProblem)];
    const errors = [
      ...problems("spec.timeZone", timeZone, (zone) => schedules.zone(zone)),
      ...problems("spec.cronSpec", cronSpec, (text) => schedules.parse(text)),
    ];
    if (errors.length > 0) return errors;
    if (schedules.parse(cronSpec, { timeZone }).next(now()) === undefined)
      warn("spec.cronSpec: its date is in the past, so it never runs");
    return [];
  },
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
