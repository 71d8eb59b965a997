import { defineManager } from "@kubewright/runtime";
import { modelBoxController } from "./controllers/model-box.js";

export default defineManager({ name: "modelbox", controllers: [modelBoxController] });
