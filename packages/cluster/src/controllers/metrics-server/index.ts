export { installMetricsServer, metricsServer } from "./metrics-server.js";
