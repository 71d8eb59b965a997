export { clockJumps } from "./clock-jumps.js";
export { type DayTest, exclusionWarning, parseExclusion, withoutDays } from "./exclusions.js";
export type { ScheduleOptions } from "./parse-schedule.js";
export type { Schedule } from "./schedule.js";
export { ScheduleError } from "./schedule-error.js";
export { Schedules } from "./schedules.js";
export { type ClockChange, type Stretch, TimeZone } from "./time-zone.js";
export { zoneNameProblem } from "./zone-names.js";
