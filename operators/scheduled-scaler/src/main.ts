import { Deployment, StatefulSet } from "@kubewright/api";
import { cacheKind, defineManager } from "@kubewright/runtime";
import { HolidayCalendar } from "./api/v1/holiday-calendar.js";
import { hpaController } from "./controllers/hpa.js";
import { onlySize } from "./controllers/target-memory.js";
import { windowController } from "./controllers/window.js";
import { holidayCalendarWebhook } from "./webhooks/holiday-calendar.js";
import { hpaWebhook } from "./webhooks/hpa.js";

export default defineManager({
  name: "scheduled-scaler",
  controllers: [hpaController, windowController],
  resources: [HolidayCalendar],
  webhooks: [hpaWebhook, holidayCalendarWebhook],
  // Of the workloads of a whole cluster only their sizes and owners are of interest.
  caches: [cacheKind(Deployment, { transform: onlySize }), cacheKind(StatefulSet, { transform: onlySize })],
});
