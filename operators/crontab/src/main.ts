import { defineManager } from "@kubewright/runtime";
import { cronTabController } from "./controllers/cron-tab.js";
import { cronTabWebhook } from "./webhooks/cron-tab.js";

export default defineManager({
  name: "crontab",
  controllers: [cronTabController],
  webhooks: [cronTabWebhook],
});
