export { resourceQuotaController } from "./resource-quota-controller.js";
