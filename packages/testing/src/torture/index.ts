export {
  type Disturbance,
  disturbanceText,
  parseDisturbances,
  type WriteDisturbance,
} from "./disturbance.js";
export type { WritePoint } from "./disturber.js";
export { objectsScenario, type Scenario, type Step } from "./scenario.js";
export {
  type Finding,
  type TortureMode,
  type TortureOptions,
  type TortureReport,
  torture,
  tortureText,
} from "./torture.js";
export type { Complaint, Invariant, Oracle } from "./torture-run.js";
