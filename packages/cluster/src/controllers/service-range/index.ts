export { serviceRangeController } from "./service-range-controller.js";
