export { serviceNodePortController } from "./service-node-port-controller.js";
