// One way to fill in what was left out, at once or step by step.

import type { DraftObject } from "../request/draft.js";
import type { Strategy } from "./strategy.js";

/** The part of a strategy that fills in, from the steps it takes. */
export const defaultingBy = (
  defaultingSteps: (object: DraftObject) => void,
): Required<Pick<Strategy, "applyDefaults" | "defaultingSteps">> => ({
  applyDefaults: (object) => defaultingSteps(object),
  defaultingSteps,
});
