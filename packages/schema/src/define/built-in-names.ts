// The names kubectl knows without any CustomResourceDefinition, and which of them the names of a custom kind collide with.
//
// kubectl resolves a name in this order: categories, then plurals and singulars of every group (built-in groups first), then
// short names. So a plural or singular that is a built-in short name takes that name away from everybody in the cluster, and
// every other collision leaves the custom kind reachable by its full name (`hpas.autoscal.aiops.org`) only.
import { discoveryGroups } from "@kubewright/api/type-info";

/** The resource that a built-in name belongs to. */
interface BuiltInName {
  readonly is: "resource" | "short name" | "category";
  /** The plural of the resource; the category itself. */
  readonly of: string;
}

/** The names of a custom kind, as its CustomResourceDefinition has them. */
export interface KubectlNames {
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
}

/** A name of a custom kind that kubectl knows already. */
export interface NameCollision {
  /** `plural`, `singular`, or `shortNames[0]`. */
  readonly field: string;
  readonly name: string;
  /** True when kubectl would no longer find the built-in resource by this name. */
  readonly hidesBuiltIn: boolean;
  readonly message: string;
}

/** The names of a custom kind that collide with those of built-in resources, their short names and categories. */
export function builtInCollisions({
  plural,
  singular = "",
  shortNames = [],
}: KubectlNames): readonly NameCollision[] {
  const known = builtInNames();
  const fields = [
    ["plural", plural],
    ["singular", singular],
    ...shortNames.map((name, index) => [`shortNames[${index}]`, name] as const),
  ] as const;
  return fields.flatMap(([field, name]) => {
    const builtIn = known.get(name);
    return builtIn ? [collision(field, name, builtIn)] : [];
  });
}

/** Whether a singular of this name would take a short name away from a built-in resource. */
export function isBuiltInShortName(name: string): boolean {
  return builtInNames().get(name)?.is === "short name";
}

function collision(field: string, name: string, { is, of }: BuiltInName): NameCollision {
  const hidesBuiltIn = is === "short name" && !field.startsWith("shortNames");
  const meaning =
    is === "category" ? `the category ${of}` : `the built-in ${of}${is === "resource" ? "" : ` (${is})`}`;
  const effect = hidesBuiltIn
    ? `"kubectl get ${name}" would no longer mean ${meaning}`
    : `"kubectl get ${name}" means ${meaning} and never this kind`;
  return {
    field,
    name,
    hidesBuiltIn,
    message: `${effect}; choose another ${field.replace(/s\[\d+\]$/, "")}`,
  };
}

function builtInNames(): ReadonlyMap<string, BuiltInName> {
  const names = new Map<string, BuiltInName>();
  const resources = discoveryGroups().flatMap(({ versions }) => versions.flatMap((each) => each.resources));
  for (const { resource, shortNames = [] } of resources)
    for (const name of shortNames) names.set(name, { is: "short name", of: resource });
  for (const { resource, singularResource } of resources)
    for (const name of [singularResource, resource]) names.set(name, { is: "resource", of: resource });
  for (const { categories = [] } of resources)
    for (const name of categories) names.set(name, { is: "category", of: name });
  return names;
}
