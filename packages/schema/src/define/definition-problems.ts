// The errors of a resource definition, reported when it is made: its author can correct them, the user who applies the CRD cannot.
import { type CustomResourceDefinition, type FieldError, fieldError } from "@kubewright/api";
import { defaultCustomResourceDefinition, validateCustomResourceDefinition } from "../crd/index.js";
import { builtInCollisions } from "./built-in-names.js";
import { inTermsOfDefinition, inVersion } from "./problem-place.js";
import type { ConvertedVersion } from "./version-schema.js";

/** The zod schemas that could not be converted, in any version. */
export function conversionProblems(versions: readonly ConvertedVersion[]): readonly FieldError[] {
  return versions.flatMap(({ version, problems }, index) =>
    problems.map((problem) =>
      index === 0 ? problem : { ...problem, field: inVersion(version.name, problem.field) },
    ),
  );
}

/** The errors that the API server would return for the CustomResourceDefinition: names, paths, defaults, rules. */
export function definitionProblems(crd: CustomResourceDefinition): readonly FieldError[] {
  const errors = validateCustomResourceDefinition(defaultCustomResourceDefinition(crd));
  return errors.map((error) => inTermsOfDefinition(error, crd));
}

/** Names that take those of built-in resources away, and short names that can never be used. */
export function nameProblems({ spec }: CustomResourceDefinition): readonly FieldError[] {
  return builtInCollisions(spec.names)
    .filter(({ field, hidesBuiltIn }) => hidesBuiltIn || field.startsWith("shortNames"))
    .map(({ field, name, message }) => fieldError.invalid(field, name, message));
}
