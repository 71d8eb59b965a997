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
export type { WritePoint } from "./torture/disturber.js";
export { OlderView } from "./torture/older-view.js";
export type { Oracle } from "./torture/oracles.js";
export { parseReplay } from "./torture/replay.js";
export { tortureText } from "./torture/report-text.js";
export {
  type ObjectsScenarioOptions,
  objectsScenario,
  type Scenario,
  type ScenarioObject,
  type Step,
} from "./torture/scenario.js";
export { torture } from "./torture/torture.js";
export {
  type Finding,
  type TorturedCluster,
  type TortureMode,
  type TortureOptions,
  type TortureReport,
  type TortureSettings,
  tortureModes,
} from "./torture/torture-options.js";
export type { Complaint, Invariant } from "./torture/torture-run.js";
