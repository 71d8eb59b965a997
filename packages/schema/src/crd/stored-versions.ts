// status.storedVersions: a version in which objects may be stored cannot be dropped.
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type FieldError,
  fieldError,
} from "@kubewright/api";

/**
 * `status.storedVersions` as the server sets it when a CRD is written: the old ones and the storage version. Without `old` the CRD is new,
 * and its status is ignored.
 */
export function storedVersions(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): readonly string[] {
  const before = old?.status?.storedVersions ?? [];
  const storage = (crd.spec.versions ?? []).find((version) => version.storage)?.name;
  return storage === undefined || before.includes(storage) ? before : [...before, storage];
}

/** The errors of the stored versions. */
export function storedVersionErrors(
  stored: readonly string[],
  versions: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const path = "status.storedVersions";
  if (stored.length === 0) return [fieldError.invalid(path, null, "must have at least one stored version")];
  // Of versions with the same name only the first counts.
  const missing = versions.filter(
    ({ name, storage }, i) =>
      storage && !(stored.includes(name) && versions.findIndex((other) => other.name === name) === i),
  );
  const names = new Set(versions.map(({ name }) => name));
  return [
    ...missing.map(({ name }) => fieldError.invalid(path, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, i) =>
      names.has(name) ? [] : [fieldError.invalid(`${path}[${i}]`, name, dropped(name))],
    ),
  ];
}

const dropped = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
