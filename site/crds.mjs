// The pages of the custom resources: every field of the CRDs of the operators with type, default, limits and description.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { escapeHtml } from "./html.mjs";
import { inline } from "./markdown.mjs";

/** The CRDs of every operator, as `kubewright manifests` wrote them. */
export function readCrds(root) {
  return readdirSync(join(root, "operators"))
    .toSorted()
    .flatMap((operator) => {
      const folder = join(root, "operators", operator, "config", "crd", "bases");
      return readdirSync(folder)
        .toSorted()
        .map((file) => ({ operator, crd: parse(readFileSync(join(folder, file), "utf8")) }));
    });
}

/** Returns a function that finds the built-in type with exactly these fields. Types that share theirs are not told apart, but for those of meta/v1. */
export function builtInTypes(pages) {
  const byFields = new Map();
  for (const { group, title, path, exports } of pages)
    for (const { name, members } of group === "Built-in kinds" ? exports : []) {
      const key = fieldsKey(members.map((member) => member.name));
      const isFirst = !byFields.has(key);
      if (isFirst || title === "meta-v1") byFields.set(key, { name, path, isCommon: title === "meta-v1" });
      else if (!byFields.get(key)?.isCommon) byFields.set(key, undefined);
    }
  return (names) => (names.length > 1 ? byFields.get(fieldsKey(names)) : undefined);
}

const fieldsKey = (names) => names.toSorted().join(",");

/** `builtIn` finds the built-in type that an object of the schema is, by the names of its fields. */
export function crdPage({ operator, crd }, builtIn) {
  const { names, group, scope, versions } = crd.spec;
  const facts = [
    ["Group", group],
    ["Versions", versions.map(versionText).join(", ")],
    ["Scope", scope],
    ["Short names", (names.shortNames ?? []).join(", ")],
    ["Operator", operator],
  ].filter(([, value]) => value !== "");
  const html = [
    `<h1>${names.kind}</h1>`,
    `<p>The custom resource <code>${escapeHtml(crd.metadata.name)}</code> of the`,
    `<a href="../../operators/${operator}.html">${operator} operator</a>.</p>`,
    `<div class="table"><table><tbody>${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value)}</td></tr>`).join("")}</tbody></table></div>`,
    ...versions.map((version) => versionHtml(version, versions.length > 1, builtIn)),
  ].join("\n");
  const path = `reference/resources/${crd.metadata.name.split(".")[0]}.html`;
  return {
    title: names.kind,
    path,
    group: "Custom resources",
    html,
    fields: versions.flatMap((version) => fieldsOfVersion(version, builtIn)),
  };
}

function versionText({ name, served, storage, deprecated }) {
  const marks = [storage && "stored", !served && "not served", deprecated && "deprecated"].filter(Boolean);
  return marks.length > 0 ? `${name} (${marks.join(", ")})` : name;
}

const fieldsOfVersion = ({ schema }, builtIn) =>
  ["spec", "status"].flatMap((part) =>
    fieldsUnder(schema.openAPIV3Schema.properties?.[part] ?? {}, part, builtIn),
  );

function versionHtml({ name, schema }, isOneOfSeveral, builtIn) {
  const prefix = isOneOfSeveral ? `${name}-` : "";
  const parts = Object.entries(schema.openAPIV3Schema.properties ?? {}).filter(
    ([part]) => !["apiVersion", "kind", "metadata"].includes(part),
  );
  return [
    isOneOfSeveral ? `<h2 id="${name}">${name}</h2>` : "",
    schema.openAPIV3Schema.description ? `<p>${inline(schema.openAPIV3Schema.description)}</p>` : "",
    ...parts.map(
      ([part, own]) =>
        `<h2 id="${prefix}${part}">${part}</h2>${own.description ? `<p>${inline(own.description)}</p>` : ""}${rulesHtml(own)}${listHtml(own, `${prefix}${part}`, builtIn)}`,
    ),
  ].join("\n");
}

/** The fields of an object as a list; those of objects within are folded. */
function listHtml(schema, path, builtIn) {
  const target = objectIn(schema);
  const properties = Object.entries(target.properties ?? {});
  if (properties.length === 0) return "";
  const required = new Set(target.required);
  const rows = properties.map(([name, field]) =>
    fieldHtml(name, field, `${path}-${name}`, required.has(name), builtIn),
  );
  return `<dl>${rows.join("\n")}</dl>`;
}

function fieldHtml(name, field, id, isRequired, builtIn) {
  const type = builtIn(Object.keys(objectIn(field).properties ?? {}));
  const inner = type ? "" : listHtml(field, id, builtIn);
  const facts = [isRequired && "required", ...limitsOf(field)].filter(Boolean).join(" · ");
  return [
    `<dt id="${id}"><code>${escapeHtml(name)}</code> <span class="type">${type ? typeLink(field, type) : escapeHtml(typeOf(field))}</span>`,
    `${facts ? `<span class="limits">${escapeHtml(facts)}</span>` : ""}</dt><dd>`,
    field.description ? `<p>${inline(field.description)}</p>` : "",
    rulesHtml(field),
    inner ? `<details><summary>Fields of ${escapeHtml(name)}</summary>${inner}</details>` : "",
    "</dd>",
  ].join("");
}

/** The object that a field is, or that its items or values are. */
function objectIn(field) {
  if (field.items) return objectIn(field.items);
  return typeof field.additionalProperties === "object" ? objectIn(field.additionalProperties) : field;
}

/** Built-in types are explained on their own page. */
const typeLink = (field, { name, path }) =>
  escapeHtml(typeOf(field)).replace("object", `<a href="../../${path}#${name}">${name}</a>`);

/** As people write it: `string`, `[]object`, `map[string]integer`. */
export function typeOf(field) {
  if (field["x-kubernetes-int-or-string"]) return "integer or string";
  if (field.type === "array") return `[]${typeOf(field.items ?? {})}`;
  if (typeof field.additionalProperties === "object")
    return `map[string]${typeOf(field.additionalProperties)}`;
  return [field.type ?? "any", field.format && `(${field.format})`].filter(Boolean).join(" ");
}

function limitsOf(field) {
  const between = (low, high, unit) => {
    if (low === undefined && high === undefined) return undefined;
    if (low === undefined) return `at most ${high}${unit}`;
    return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`;
  };
  return [
    field.default !== undefined && `default ${JSON.stringify(field.default)}`,
    field.enum && `one of ${field.enum.join(", ")}`,
    field.minimum !== -(2 ** 31) && between(field.minimum, field.maximum, ""), // which int32 says already
    between(field.minLength, field.maxLength, " characters"),
    between(field.minItems, field.maxItems, " items"),
    field.pattern && `matches ${field.pattern}`,
  ];
}

const rulesHtml = (field) => {
  const rules = field["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return "";
  return `<ul class="rules">${rules.map(({ rule, message }) => `<li>${escapeHtml(message ?? "")} <code>${escapeHtml(rule)}</code></li>`).join("")}</ul>`;
};

/** The fields of ours below one, with their paths: those of built-in types are described elsewhere. */
export function fieldsUnder(schema, path, builtIn) {
  return Object.entries(objectIn(schema).properties ?? {}).flatMap(([name, field]) => [
    { path: `${path}.${name}`, description: field.description ?? "" },
    ...(builtIn(Object.keys(objectIn(field).properties ?? {}))
      ? []
      : fieldsUnder(field, `${path}.${name}`, builtIn)),
  ]);
}
