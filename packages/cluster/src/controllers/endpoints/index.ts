export { endpointsController } from "./endpoints-controller.js";
