// The functions of expressions. Kubernetes has a fixed set per version; what it lacks must not be used in a rule that a real
// cluster is to accept, so extras are switched on by name.
import { createEnvironment, type Environment, type Library } from "./declarations.js";
import { arithmeticLibrary } from "./library/arithmetic.js";
import { authorizationLibrary } from "./library/authorization.js";
import { cidrLibrary } from "./library/cidr.js";
import { comparisonLibrary } from "./library/comparison.js";
import { conversionLibrary } from "./library/conversions.js";
import { ipLibrary } from "./library/ip.js";
import { jsonPatchLibrary } from "./library/json-patch.js";
import { listExtensionLibrary } from "./library/list-extension.js";
import { kubernetesListLibrary } from "./library/lists.js";
import { mathLibrary } from "./library/math.js";
import { formatLibrary } from "./library/named-formats.js";
import { optionalLibrary } from "./library/optionals.js";
import { quantityLibrary } from "./library/quantity.js";
import { regexLibrary } from "./library/regex.js";
import { semverLibrary } from "./library/semver.js";
import { setLibrary } from "./library/sets.js";
import { stringLibrary } from "./library/strings.js";
import { textLibrary } from "./library/text.js";
import { timeLibrary } from "./library/time.js";
import { mapInsertLibrary } from "./library/two-variables.js";
import { typeLibrary } from "./library/type-names.js";
import { urlLibrary } from "./library/urls.js";

/** Libraries beyond those every expression in Kubernetes has: `jsonPatch` belongs to those that make patches. */
export type CelExtension = "math" | "bindings" | "jsonPatch";

const kubernetes: readonly Library[] = [
  arithmeticLibrary,
  comparisonLibrary,
  conversionLibrary,
  typeLibrary,
  textLibrary,
  timeLibrary,
  optionalLibrary,
  stringLibrary,
  regexLibrary,
  kubernetesListLibrary,
  listExtensionLibrary,
  setLibrary,
  mapInsertLibrary,
  urlLibrary,
  quantityLibrary,
  ipLibrary,
  cidrLibrary,
  semverLibrary,
  formatLibrary,
  authorizationLibrary,
];

const extensions: Readonly<Record<CelExtension, Library>> = {
  math: mathLibrary,
  jsonPatch: jsonPatchLibrary,
  // `cel.bind` is a macro: the parser does all of it.
  bindings: { functions: [] },
};

const standard = createEnvironment(kubernetes);

/** The functions of Kubernetes 1.36, and those of the extensions asked for. */
export function environmentWith(names: readonly CelExtension[]): Environment {
  return names.length === 0
    ? standard
    : createEnvironment([...kubernetes, ...names.map((name) => extensions[name])]);
}
