import { defineManager } from "@kubewright/runtime";
import { modelBoxController } from "./controllers/model-box.js";
import { modelBoxPolicyController } from "./controllers/model-box-policy.js";
import { modelBoxWebhook } from "./webhooks/model-box.js";

export default defineManager({
  name: "modelbox",
  controllers: [modelBoxController, modelBoxPolicyController],
  webhooks: [modelBoxWebhook],
});
