export type { ClusterControls } from "./controls.js";
export { dashboard } from "./manager-dashboard.js";
export { type Dashboard, type DashboardOptions, serveDashboard } from "./serve-dashboard.js";
