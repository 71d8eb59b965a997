export {
  type EventuallyOptions,
  type InstallableResource,
  type NewObject,
  type ReconcileFailure,
  TestCluster,
  type TestClusterOptions,
  testCluster,
} from "./test-cluster.js";
