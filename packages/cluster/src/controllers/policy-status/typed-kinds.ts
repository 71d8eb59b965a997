// The kinds policies can be about, with what their objects are made of: built-in ones, and those of CRDs.
import { builtinResources, type CustomResourceDefinition } from "@kubewright/api";
import { kindTypeInfo, typeInfoFromSchema } from "@kubewright/api/type-info";
import type { TypedKind, TypedKinds } from "@kubewright/apiserver";

interface NamedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly typeInfo: () => TypedKind["typeInfo"] | undefined;
}

/** Kinds by resource or by name. */
export function typedKinds(definitions: readonly CustomResourceDefinition[]): TypedKinds {
  const all = [
    ...builtinResources.map((one) => ({ ...one, typeInfo: () => kindTypeInfo(one) })),
    ...definitions.flatMap(kindsOf),
  ];
  const find = (
    group: string,
    version: string,
    matches: (kind: NamedKind) => boolean,
  ): TypedKind | undefined => {
    const found = all.find((one) => one.group === group && one.version === version && matches(one));
    const typeInfo = found?.typeInfo();
    return found && typeInfo ? { group, version, kind: found.kind, typeInfo } : undefined;
  };
  return {
    ofResource: (group, version, plural) => find(group, version, (one) => one.plural === plural),
    ofKind: (group, version, kind) => find(group, version, (one) => one.kind === kind),
  };
}

function kindsOf({ spec: { group, names, versions } }: CustomResourceDefinition): NamedKind[] {
  return versions.flatMap(({ name, served, schema }) => {
    const openApi = schema?.openAPIV3Schema;
    if (!served || !openApi) return [];
    return [
      {
        group,
        version: name,
        kind: names.kind,
        plural: names.plural,
        typeInfo: () => typeInfoFromSchema(openApi),
      },
    ];
  });
}
