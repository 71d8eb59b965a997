export type { WritePoint } from "./disturber.js";
export type { Oracle } from "./oracles.js";
export { parseReplay } from "./replay.js";
export { tortureText } from "./report-text.js";
export {
  type ObjectsScenarioOptions,
  objectsScenario,
  type Scenario,
  type ScenarioObject,
  type Step,
} from "./scenario.js";
export {
  type Finding,
  type TortureMode,
  type TortureOptions,
  type TortureReport,
  type TortureSettings,
  torture,
  tortureModes,
} from "./torture.js";
export type { Complaint, Invariant } from "./torture-run.js";
