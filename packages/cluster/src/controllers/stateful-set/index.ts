export { statefulSetController } from "./stateful-set-controller.js";
