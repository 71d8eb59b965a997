// Kubernetes validates CustomResourceDefinitions in an older form: what all versions have in common stands once at the top.
// Field paths in errors are those of that form (`spec.validation.openAPIV3Schema…`), so we bring it about first.
import {
  type CustomResourceColumnDefinition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  type CustomResourceSubresources,
  type CustomResourceValidation,
  deepEqual,
  type SelectableField,
} from "@kubewright/api";

/** The fields of one version, or those that all versions share. */
export interface VersionedParts {
  readonly schema?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: readonly SelectableField[] | undefined;
}

/** A spec with its common parts at the top; versions hold only what is theirs alone. */
export interface HubSpec {
  readonly spec: CustomResourceDefinitionSpec;
  readonly common: VersionedParts;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

/** Moves what all versions have in common to the top. */
export function hubForm(spec: CustomResourceDefinitionSpec): HubSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  if (first === undefined) return { spec, common: {}, versions };
  const same = (part: keyof VersionedParts): boolean =>
    versions.every((version) => deepEqual(version[part], first[part]));
  const schema = same("schema");
  const parts: readonly (keyof VersionedParts)[] = [
    ...(schema ? (["schema"] as const) : []),
    ...(same("subresources") ? (["subresources"] as const) : []),
    ...(same("additionalPrinterColumns") ? (["additionalPrinterColumns"] as const) : []),
    ...(schema && same("selectableFields") ? (["selectableFields"] as const) : []),
  ];
  return {
    spec,
    common: Object.fromEntries(parts.map((part) => [part, first[part]])),
    versions: versions.map((version) => without(version, parts)),
  };
}

function without(
  version: CustomResourceDefinitionVersion,
  parts: readonly (keyof VersionedParts)[],
): CustomResourceDefinitionVersion {
  return { ...version, ...Object.fromEntries(parts.map((part) => [part, undefined])) };
}
