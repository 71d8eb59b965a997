export { deploymentController } from "./deployment-controller.js";
