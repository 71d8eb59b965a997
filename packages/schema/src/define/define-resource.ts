// defineResource: names, schema, columns and scale of a custom kind in one place.
import { type FieldError, ValidationError } from "@kubewright/api";
import type { z } from "zod";
import { assembleCrd } from "./crd.js";
import { createDefinition } from "./custom-resource.js";
import { conversionProblems, definitionProblems, nameProblems } from "./definition-problems.js";
import { sizeProblems } from "./definition-size.js";
import type { FurtherVersions, ResourceDefinition } from "./resource-definition.js";
import type { CrdOptions, ResourceNames, ResourceOptions, VersionOptions } from "./resource-options.js";
import type { InputObject, OutputObject, TopLevelShape } from "./resource-types.js";
import { type ConvertedVersion, convertVersion } from "./version-schema.js";

type NoFields = Readonly<Record<never, z.ZodType>>;
type NoVersions = Readonly<Record<never, VersionOptions>>;

/**
 * Defines a custom kind: its static types, its CustomResourceDefinition and its local validation, from one zod schema.
 * Throws a ValidationError that names every place where the schema cannot become a CustomResourceDefinition.
 *
 * @example
 * const CronTab = defineResource({
 *   group: "stable.example.com", version: "v1", kind: "CronTab", shortNames: ["ct"],
 *   spec: z.object({ cronSpec: z.string(), image: z.string(), replicas: z.int().min(0).default(1) }),
 *   columns: { Schedule: ".spec.cronSpec", Replicas: ".spec.replicas" },
 * });
 * type CronTab = ObjectOf<typeof CronTab>;
 */
export function defineResource<
  const Group extends string,
  const Version extends string,
  const Kind extends string,
  Spec extends z.ZodType = never,
  Status extends z.ZodType = never,
  Fields extends Readonly<Record<string, z.ZodType>> = NoFields,
  Versions extends Readonly<Record<string, VersionOptions>> = NoVersions,
>(
  options: ResourceOptions<Group, Version, Kind, Spec, Status, Fields, Versions>,
): ResourceDefinition<
  OutputObject<`${Group}/${Version}`, Kind, TopLevelShape<Spec, Status, Fields>>,
  InputObject<`${Group}/${Version}`, Kind, TopLevelShape<Spec, Status, Fields>>,
  FurtherVersions<Group, Kind, Versions>
>;
export function defineResource(options: AnyResourceOptions): ResourceDefinition<unknown, unknown, unknown> {
  const versions = convertVersions(options);
  refuse(options, conversionProblems(versions));
  const crd = (crdOptions?: CrdOptions) =>
    assembleCrd(
      options,
      versions.map(({ version }) => version),
      crdOptions,
    );
  const definition = crd();
  refuse(options, definitionProblems(definition));
  if (options.allowBuiltInNames !== true) refuse(options, nameProblems(definition));
  if (options.serverSideApply !== true) refuse(options, sizeProblems(definition));
  const [own, ...others] = versions;
  const further = others.map(
    (version) => [version.version.name, createDefinition(options, version, crd)] as const,
  );
  return { ...createDefinition(options, own, crd), versions: Object.fromEntries(further) };
}

/** The options without what is known of their types. */
type AnyResourceOptions = ResourceNames<string, string, string> &
  VersionOptions & { readonly versions?: Readonly<Record<string, VersionOptions>> | undefined };

function refuse({ kind, group }: AnyResourceOptions, problems: readonly FieldError[]): void {
  if (problems.length > 0) throw new ValidationError(`${kind}.${group}`, problems);
}

/** Every version converted, the definition's own first. */
function convertVersions(options: AnyResourceOptions): readonly [ConvertedVersion, ...ConvertedVersion[]] {
  const others = Object.entries(options.versions ?? {});
  const storedElsewhere = others.some(([, version]) => version.storage === true);
  return [
    convertVersion(options.version, options, options.storage ?? !storedElsewhere),
    ...others.map(([name, version]) => convertVersion(name, version, version.storage ?? false)),
  ];
}
