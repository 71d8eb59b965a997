export { namespaceController } from "./namespace-controller.js";
