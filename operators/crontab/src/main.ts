import { Job } from "@kubewright/api";
import { cacheKind, defineManager } from "@kubewright/runtime";
import { cronTabController } from "./controllers/cron-tab.js";
import { cronTabLabel } from "./controllers/runs.js";
import { cronTabWebhook } from "./webhooks/cron-tab.js";

export default defineManager({
  name: "crontab",
  controllers: [cronTabController],
  webhooks: [cronTabWebhook],
  // The Jobs of CronTabs carry this label; others are not cached.
  caches: [cacheKind(Job, { labelSelector: cronTabLabel })],
});
