import type { NativeKind } from "../../registry/native-kinds.js";
import { cronJobs } from "./cron-job.js";
import { jobs } from "./job.js";

/** Workloads that end. */
export const batchKinds: readonly NativeKind[] = [cronJobs, jobs];
