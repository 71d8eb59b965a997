export { PutOff } from "./put-off.js";
export { sortingSteps } from "./sorting-steps.js";
export { finish, Pace, type Steps } from "./steps.js";
