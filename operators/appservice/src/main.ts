import { defineManager } from "@kubewright/runtime";
import { appServiceController } from "./controllers/app-service.js";
import { appServiceConversion } from "./webhooks/app-service-conversion.js";

export default defineManager({
  name: "appservice",
  controllers: [appServiceController],
  webhooks: [appServiceConversion],
});
