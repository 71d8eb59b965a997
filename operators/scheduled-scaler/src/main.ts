import { defineManager } from "@kubewright/runtime";
import { hpaController } from "./controllers/hpa.js";
import { windowController } from "./controllers/window.js";
import { hpaWebhook } from "./webhooks/hpa.js";

export default defineManager({
  name: "scheduled-scaler",
  controllers: [hpaController, windowController],
  webhooks: [hpaWebhook],
});
