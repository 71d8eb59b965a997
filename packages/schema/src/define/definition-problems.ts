// What is wrong with a definition, found when it is made: it is the author who can mend it, not the user who applies it.
import type { CustomResourceDefinition, FieldError } from "@kubewright/api";
import { defaultCustomResourceDefinition, validateCustomResourceDefinition } from "../crd/index.js";
import { inTermsOfDefinition, inVersion } from "./problem-place.js";
import type { ConvertedVersion } from "./version-schema.js";

/** What could not be converted, in any version. */
export function conversionProblems(versions: readonly ConvertedVersion[]): readonly FieldError[] {
  return versions.flatMap(({ version, problems }, index) =>
    problems.map((problem) =>
      index === 0 ? problem : { ...problem, field: inVersion(version.name, problem.field) },
    ),
  );
}

/** What the API server would find wrong with the CustomResourceDefinition: names, paths, defaults, rules. */
export function definitionProblems(crd: CustomResourceDefinition): readonly FieldError[] {
  const errors = validateCustomResourceDefinition(defaultCustomResourceDefinition(crd));
  return errors.map((error) => inTermsOfDefinition(error, crd));
}
