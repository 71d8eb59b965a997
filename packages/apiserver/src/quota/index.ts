export { deviceUsage } from "./device-usage.js";
export { claimUsage, serviceUsage } from "./object-usage.js";
export { podUsage } from "./pod-usage.js";
export {
  claimMeasure,
  countMeasure,
  deviceMeasure,
  podMeasure,
  type QuotaMeasure,
  serviceMeasure,
} from "./quota-measure.js";
export { coversClaim, coversPod, isScoped } from "./quota-scope.js";
export { countName, measuredKinds, plainlyCounted, sumUsage, type Usage, zero } from "./usage.js";
