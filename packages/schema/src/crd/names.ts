// The names of a kind.
import {
  type CustomResourceDefinitionNames,
  type FieldError,
  fieldError,
  validateDns1035Label,
} from "@kubewright/api";

/** Names that a spec must have; a status need not. */
export function missingNameErrors(names: CustomResourceDefinitionNames, path: string): FieldError[] {
  const needed = ["plural", "singular", "kind", "listKind"] as const;
  return needed.filter((name) => !names[name]).map((name) => fieldError.required(`${path}.${name}`));
}

/** The errors of the names that are there. */
export function nameErrors(names: CustomResourceDefinitionNames, path: string): FieldError[] {
  const { plural, singular, kind, listKind } = names;
  return [
    ...labelErrors(plural, `${path}.plural`),
    ...labelErrors(singular, `${path}.singular`),
    ...kindErrors(kind, `${path}.kind`),
    ...kindErrors(listKind, `${path}.listKind`),
    ...(names.shortNames ?? []).flatMap((name, i) => listedErrors(name, `${path}.shortNames[${i}]`)),
    ...(kind && kind === listKind
      ? [fieldError.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...(names.categories ?? []).flatMap((name, i) => listedErrors(name, `${path}.categories[${i}]`)),
  ];
}

const labelErrors = (name: string | undefined, path: string): FieldError[] =>
  name ? listedErrors(name, path) : [];

function listedErrors(name: string, path: string): FieldError[] {
  const problems = validateDns1035Label(name);
  return problems.length === 0 ? [] : [fieldError.invalid(path, name, problems.join(","))];
}

function kindErrors(kind: string | undefined, path: string): FieldError[] {
  if (!kind) return [];
  const problems = validateDns1035Label(kind.toLowerCase());
  if (problems.length === 0) return [];
  return [
    fieldError.invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`),
  ];
}
