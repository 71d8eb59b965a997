import { Job } from "@kubewright/api";
import { cacheKind, defineManager } from "@kubewright/runtime";
import { cronTabController } from "./controllers/cron-tab.js";
import { rememberRuns } from "./controllers/run-memory.js";
import { cronTabLabel } from "./controllers/runs.js";
import { cronTabWebhook } from "./webhooks/cron-tab.js";

export default defineManager({
  name: "crontab",
  controllers: [cronTabController],
  webhooks: [cronTabWebhook],
  // Runs there are many of, and little of each is looked at; other Jobs are none of our business.
  caches: [cacheKind(Job, { labelSelector: cronTabLabel, transform: rememberRuns() })],
});
