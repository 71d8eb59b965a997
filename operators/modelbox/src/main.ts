import { defineManager } from "@kubewright/runtime";
import { modelBoxController } from "./controllers/model-box.js";
import { modelBoxWebhook } from "./webhooks/model-box.js";

export default defineManager({
  name: "modelbox",
  controllers: [modelBoxController],
  webhooks: [modelBoxWebhook],
});
