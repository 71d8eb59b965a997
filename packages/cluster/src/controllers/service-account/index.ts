export { serviceAccountController } from "./service-account-controller.js";
