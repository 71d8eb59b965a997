export { nodeLifecycleController } from "./node-lifecycle-controller.js";
