import { defineManager } from "@kubewright/runtime";
import { applicationController } from "./controllers/application.js";

export default defineManager({ name: "application", controllers: [applicationController] });
