export { roleAggregationController } from "./role-aggregation-controller.js";
