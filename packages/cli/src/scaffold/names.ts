// The names of a project and its kinds: what they may be, and what files and variables are called after them.
import { UsageError } from "../command.js";

/** `ModelBox` → `model-box`, `HTTPRoute` → `http-route`: the name of a kind's files. */
export const kebabCase = (kind: string): string =>
  kind
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();

/** `model-box` or `ModelBox` → `modelBox`: the beginning of a kind's variables. */
export const camelCase = (name: string): string =>
  kebabCase(name)
    .split(/[-.]/)
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");

/** `modelBox` → `ModelBox`. */
export const pascalCase = (name: string): string => {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
};

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const versionName = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;
const kindName = /^[A-Z][A-Za-z0-9]{0,62}$/;

export const isLabel = (name: string): boolean => label.test(name);
export const isSubdomain = (name: string): boolean => subdomain.test(name);
export const isKindName = (name: string): boolean => kindName.test(name);

/** Kinds that would hide something JavaScript or the scaffolded files need under the same name. */
const reservedKinds = new Set([
  ...["Array", "BigInt", "Boolean", "Date", "Error", "Function", "Infinity", "Intl", "JSON", "Map", "Math"],
  ...[
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "WeakMap",
  ],
  ...["Status", "ObjectOf", "Record", "Partial", "Readonly", "Pick", "Omit"],
]);

/** The default domain of a project. */
export const defaultDomain = "example.com";

/** A domain is the end of every group of a project. */
export function checkDomain(domain: string): void {
  demand(
    subdomain.test(domain) && domain.length <= 200,
    `--domain ${domain}: lower-case words joined by dots are needed, such as example.com`,
  );
  demand(
    !/(^|\.)(k8s\.io|kubernetes\.io)$/.test(domain),
    `--domain ${domain}: groups under k8s.io and kubernetes.io are reserved for Kubernetes itself; use your own domain`,
  );
}

/** A project's name names its namespace and its objects, so it is a DNS label, with room for what is added. */
export function checkProjectName(name: string): void {
  demand(
    label.test(name) && name.length <= 50,
    `the project name "${name}" must be lower-case letters, digits and dashes, at most 50; choose one with --project-name`,
  );
}

export function checkGroup(group: string): void {
  demand(
    group === "" || (subdomain.test(group) && group.length <= 120),
    `--group ${group}: lower-case letters, digits and dashes are needed, such as shop`,
  );
}

export function checkVersion(version: string): void {
  demand(
    versionName.test(version),
    `--version ${version}: a version such as v1, v1beta1 or v2alpha1 is needed`,
  );
}

export function checkKind(kind: string): void {
  const meant = /^[a-z]/.test(kind) ? `; did you mean ${pascalCase(kind)}?` : ", such as ModelBox";
  demand(
    kindName.test(kind),
    `--kind ${kind}: a name of letters and digits with a capital first is needed${meant}`,
  );
  demand(
    !kind.endsWith("List"),
    `--kind ${kind}: names that end with List are those of lists; choose another`,
  );
  demand(
    !reservedKinds.has(kind),
    `--kind ${kind}: the name is reserved in TypeScript or Kubernetes; choose another`,
  );
}

export function checkNamespace(namespace: string): void {
  demand(
    label.test(namespace),
    `--namespaces ${namespace}: lower-case letters, digits and dashes are needed`,
  );
}

export function checkPlural(plural: string): void {
  demand(label.test(plural), `--plural ${plural}: lower-case letters, digits and dashes are needed`);
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new UsageError(message);
}
