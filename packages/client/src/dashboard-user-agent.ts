/** The user agent of the dashboard. Faults of embedded clusters spare its requests: somebody has to be able to end them. */
export const dashboardUserAgent = "kubewright-dashboard";
