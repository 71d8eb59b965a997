// Which functions expressions have. Kubernetes has a fixed set per version; what it lacks must not be used in a rule that a real
// cluster is to accept, so extras are switched on by name.
import { createEnvironment, type Environment, type Library } from "./declarations.js";
import { arithmeticLibrary } from "./library/arithmetic.js";
import { comparisonLibrary } from "./library/comparison.js";
import { conversionLibrary } from "./library/conversions.js";
import { textLibrary } from "./library/text.js";
import { timeLibrary } from "./library/time.js";

/** Libraries beyond those of Kubernetes. */
export type CelExtension = "math" | "bindings";

const kubernetes: readonly Library[] = [
  arithmeticLibrary,
  comparisonLibrary,
  conversionLibrary,
  textLibrary,
  timeLibrary,
];

const extensions: Readonly<Record<CelExtension, Library>> = {
  math: { functions: [] },
  bindings: { functions: [] },
};

const standard = createEnvironment(kubernetes);

/** The functions of Kubernetes 1.36, and those of the extensions asked for. */
export function environmentWith(names: readonly CelExtension[]): Environment {
  return names.length === 0
    ? standard
    : createEnvironment([...kubernetes, ...names.map((name) => extensions[name])]);
}
