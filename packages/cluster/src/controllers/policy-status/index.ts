export { policyStatusController } from "./policy-status-controller.js";
