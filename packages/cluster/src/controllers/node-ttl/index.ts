export { nodeTtlController } from "./node-ttl-controller.js";
