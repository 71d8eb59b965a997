import type { BuiltInKind } from "../built-in-kind.js";
import { cronJobs } from "./cron-job.js";
import { jobs } from "./job.js";

/** Workloads that end. */
export const batchKinds: readonly BuiltInKind[] = [cronJobs, jobs];
