// A CustomResourceDefinition as the TypeScript that defines the same kind.
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@kubewright/api";
import { builtInCollisions, singularOf } from "@kubewright/schema";
import type { CheckedCrd } from "./checked-crd.js";
import { code, comment, identifier, join, list, literal, type Member, object } from "./code.js";
import { columnsSource } from "./columns-source.js";
import { Findings, inner, type Place } from "./place.js";
import type { Schema } from "./schema-shape.js";
import { ruleSource, zodSource } from "./zod-source.js";

/** Beyond what `kubectl apply` carries, with room to spare. */
const largestApplied = 180_000;

/** The module, what of the definition it cannot say, and what is worth knowing besides. */
export interface DefinitionSource {
  readonly source: string;
  readonly losses: readonly string[];
  readonly notes: readonly string[];
  /** Where it refers to built-in types. */
  readonly builtIns: Findings["builtIns"];
}

/** Writes the module that defines a kind. */
export function definitionSource({ crd, unknown }: CheckedCrd, from: string): DefinitionSource {
  const { group, names, scope, versions } = crd.spec;
  const [own, ...others] = ownFirst(versions);
  const losses = [
    ...[own, ...others].flatMap(lossesOf),
    ...unknown.map((path) => `${path}, which Kubernetes does not have`),
  ];
  const findings = new Findings();
  const approved = crd.metadata?.annotations?.["api-approved.kubernetes.io"];
  const members: Member[] = [
    ["group", literal(group)],
    ["version", literal(own.name)],
    ["kind", literal(names.kind)],
    ["plural", literal(names.plural)],
    ...given("singular", names.singular, singularOf(names.kind, group)),
    ...given("listKind", names.listKind, `${names.kind}List`),
    ...(names.shortNames?.length ? [["shortNames", literal(names.shortNames)] as const] : []),
    ...(names.categories?.length ? [["categories", literal(names.categories)] as const] : []),
    // Others know the kind by these names already, so they stay.
    ...(builtInCollisions(names).length > 0 ? [["allowBuiltInNames", literal(true)] as const] : []),
    ...given("scope", scope, "Namespaced"),
    ...(approved ? [["annotations", literal({ "api-approved.kubernetes.io": approved })] as const] : []),
    ...(JSON.stringify(versions).length > largestApplied
      ? [["serverSideApply", literal(true)] as const]
      : []),
    ...conversionMember(crd),
    ...versionMembers(own, true, findings),
    ...(others.length > 0
      ? [["versions", object(others.map((version) => namedVersion(version, findings)))] as const]
      : []),
  ];
  const notes = findings.notes();
  const remarks = [...losses.map((loss) => `Not imported: ${loss}`), ...notes];
  const source = moduleText(names.kind, members, from, remarks);
  return { source, losses, notes, builtIns: findings.builtIns };
}

/** The version that is stored is the one that is defined; others stand beside it. */
function ownFirst(
  versions: readonly CustomResourceDefinitionVersion[],
): readonly [CustomResourceDefinitionVersion, ...CustomResourceDefinitionVersion[]] {
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  if (!stored) throw new Error("the definition has no versions");
  return [stored, ...versions.filter((version) => version !== stored)];
}

const namedVersion = (version: CustomResourceDefinitionVersion, findings: Findings): Member => [
  version.name,
  object(versionMembers(version, false, findings)),
];

function versionMembers(
  version: CustomResourceDefinitionVersion,
  own: boolean,
  findings: Findings,
): readonly Member[] {
  const place: Place = { path: [version.name], field: "", findings };
  const schema = rootOf(version);
  const { spec, status, apiVersion: _a, kind: _k, metadata: _m, ...fields } = schema.properties ?? {};
  const required = new Set(schema.required ?? []);
  const further = Object.entries(fields).map(
    ([name, field]) => [name, zodSource(field, inner(place, name), !required.has(name))] as const,
  );
  const rules = schema["x-kubernetes-validations"] ?? [];
  const { scale, status: statusSubresource } = version.subresources ?? {};
  return [
    ...(schema.description ? [["description", literal(schema.description)] as const] : []),
    ...(version.served ? [] : [["served", literal(false)] as const]),
    ...deprecatedMember(version),
    ...(!own && version.storage ? [["storage", literal(true)] as const] : []),
    ...(spec ? [["spec", zodSource(spec, inner(place, "spec"), !required.has("spec"))] as const] : []),
    ...(status ? [["status", zodSource(status, inner(place, "status"))] as const] : []),
    ...(further.length > 0 ? [["fields", object(further)] as const] : []),
    ...(rules.length > 0 ? [["rules", list(rules.map(ruleSource))] as const] : []),
    ...((statusSubresource !== undefined) === (status !== undefined)
      ? []
      : [["statusSubresource", literal(statusSubresource !== undefined)] as const]),
    ...(scale ? [["scale", literal(scalePaths(scale))] as const] : []),
    ...(version.selectableFields?.length
      ? [["selectableFields", literal(version.selectableFields.map(({ jsonPath }) => jsonPath))] as const]
      : []),
    ...columnsSource(version.additionalPrinterColumns ?? [], schema),
  ];
}

const rootOf = (version: CustomResourceDefinitionVersion): Schema => version.schema?.openAPIV3Schema ?? {};

interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

const scalePaths = ({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScaleSubresource) => ({
  spec: specReplicasPath,
  status: statusReplicasPath,
  ...(labelSelectorPath === undefined ? {} : { selector: labelSelectorPath }),
});

function deprecatedMember({
  deprecated,
  deprecationWarning,
}: CustomResourceDefinitionVersion): readonly Member[] {
  if (!deprecated) return [];
  return [["deprecated", literal(deprecationWarning || true)]];
}

/** The conversion keeps its address. Its CA bundle is left out: the conversion's own server sets it. */
function conversionMember({ spec }: CustomResourceDefinition): readonly Member[] {
  const { conversion } = spec;
  if (conversion?.strategy !== "Webhook") return [];
  const { caBundle: _caBundle, ...clientConfig } = conversion.webhook?.clientConfig ?? {};
  return [["conversion", literal({ ...conversion, webhook: { ...conversion.webhook, clientConfig } })]];
}

const given = (key: string, value: string | undefined, usual: string): readonly Member[] =>
  value === undefined || value === usual ? [] : [[key, literal(value)]];

const saidAtTheTop = new Set(["type", "description", "properties", "required", "x-kubernetes-validations"]);

/** What a definition may say of the whole object and `defineResource` has no option for. */
function lossesOf(version: CustomResourceDefinitionVersion): readonly string[] {
  const schema = rootOf(version);
  const keywords = Object.keys(schema).filter((keyword) => !saidAtTheTop.has(keyword));
  const { metadata } = schema.properties ?? {};
  const names = (version.additionalPrinterColumns ?? []).map(({ name }) => name);
  return [
    ...keywords.map((keyword) => `${version.name}: ${keyword} of the whole object`),
    ...(metadata && Object.keys(metadata).some((key) => key !== "type" && key !== "description")
      ? [`${version.name}: what it demands of metadata`]
      : []),
    ...(schema.required ?? [])
      .filter((name) => name === "status")
      .map((name) => `${version.name}: that ${name} is required`),
    ...names
      .filter((name, index) => names.indexOf(name) < index)
      .map((name) => `${version.name}: a second column named ${name}`),
  ];
}

function moduleText(
  name: string,
  members: readonly Member[],
  from: string,
  remarks: readonly string[],
): string {
  const kind = identifier(name);
  const body = code`export const ${kind} = defineResource(${object(members)});`;
  const names = ["defineResource", "kube", "rule", "z"].filter((used) =>
    new RegExp(`\\b${used}[.(]`).test(body.text),
  );
  return join(
    [
      comment(`${name}, imported from ${from}. Edit it as your own, or import it again with --force.`),
      ...remarks.map((remark) => comment(`${remark}.`)),
      code`import type { ObjectOf } from "@kubewright/api";`,
      code`import { ${join(names.map(identifier), ", ")} } from "@kubewright/schema";`,
      code``,
      body,
      code``,
      code`export type ${kind} = ObjectOf<typeof ${kind}>;`,
      code``,
    ],
    "\n",
  ).text;
}
