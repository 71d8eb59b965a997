export { CrashPointError, type CrashReport, everyCrashPoint } from "./crash-points.js";
export type { ReconcileFailure } from "./failure-report.js";
export { LeakError } from "./leaks.js";
export { ManagerUnderTest, type ManagerUnderTestOptions } from "./manager-under-test.js";
export { MissingPermissionError, MissingPermissions } from "./missing-permissions.js";
export { TestCluster, type TestClusterParts, testCluster } from "./test-cluster.js";
export type {
  Connect,
  ConnectSettings,
  InstallableResource,
  TestClusterOptions,
} from "./test-cluster-options.js";
export { TestNamespace } from "./test-namespace.js";
export {
  type EventuallyOptions,
  ExpectationError,
  type NewObject,
  type ScopeOptions,
  TestScope,
  type WithConditions,
} from "./test-scope.js";
export { type Check, type Duration, RealTime, type TestTime, VirtualTime } from "./test-time.js";
export {
  type Complaint,
  type Finding,
  type Invariant,
  type ObjectsScenarioOptions,
  type Oracle,
  objectsScenario,
  parseReplay,
  type Scenario,
  type ScenarioObject,
  type Step,
  type TortureMode,
  type TortureOptions,
  type TortureReport,
  type TortureSettings,
  torture,
  tortureModes,
  tortureText,
  type WritePoint,
} from "./torture/index.js";
