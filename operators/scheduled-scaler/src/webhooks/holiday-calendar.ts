// Validation of the days of a holiday calendar.
import { fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import { readDates } from "../controllers/days-of-rest.js";

export const holidayCalendarWebhook = defineWebhook(HolidayCalendar, {
  validate({ spec }, ctx) {
    const { problems, warnings } = readDates(spec.dates, "spec.dates");
    for (const { field, message } of warnings) ctx.warn(`${field}: ${message}`);
    return problems.map(({ field, value, message }) => fieldError.invalid(field, value, message));
  },
});
