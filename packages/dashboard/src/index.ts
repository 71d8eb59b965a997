export type { ClusterControls } from "./controls.js";
export { type Dashboard, type DashboardOptions, serveDashboard } from "./serve-dashboard.js";
