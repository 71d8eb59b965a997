// An audit policy as people write it: a file of YAML or JSON.
import { parse } from "yaml";
import type { AuditLevel, AuditPolicy, AuditRule, AuditStage, GroupResources } from "./policy.js";

/** A policy that is none; says where. */
export class AuditPolicyError extends Error {
  override readonly name = "AuditPolicyError";
}

const levels: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];
const stages: readonly AuditStage[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

type Fields = Readonly<Record<string, unknown>>;

/** Reads a policy; `source` is what its errors begin with. */
export function parseAuditPolicy(text: string, source: string): AuditPolicy {
  const read = new PolicyReader(source);
  const policy = read.fields(read.document(text), "");
  if (policy["kind"] !== "Policy") return read.fail("kind", "must be Policy");
  if (policy["apiVersion"] !== "audit.k8s.io/v1") return read.fail("apiVersion", "must be audit.k8s.io/v1");
  const rules = read
    .list(policy["rules"], "rules")
    .map((rule, index) => ruleOf(read, rule, `rules[${index}]`));
  if (rules.length === 0) return read.fail("rules", "there is none");
  read.known(policy, "", ["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"]);
  return {
    rules,
    omitStages: read.oneOf(policy["omitStages"], "omitStages", stages),
    omitManagedFields: read.boolean(policy["omitManagedFields"], "omitManagedFields"),
  };
}

const ruleFields =
  "level users userGroups verbs resources namespaces nonResourceURLs omitStages omitManagedFields";

function ruleOf(read: PolicyReader, value: unknown, path: string): AuditRule {
  const rule = read.fields(value, path);
  read.known(rule, path, ruleFields.split(" "));
  const level = levels.find((name) => name === rule["level"]);
  if (!level) return read.fail(`${path}.level`, `must be one of ${levels.join(", ")}`);
  const strings = (name: string) => read.strings(rule[name], `${path}.${name}`);
  const resources = read.list(rule["resources"], `${path}.resources`);
  const nonResourceURLs = strings("nonResourceURLs");
  if (nonResourceURLs.length > 0 && resources.length + strings("namespaces").length > 0)
    return read.fail(
      `${path}.nonResourceURLs`,
      "rules cannot apply to both regular resources and non-resource URLs",
    );
  for (const [index, url] of nonResourceURLs.entries())
    if (!/^(\/[^*]*\*?|\*)$/.test(url))
      return read.fail(
        `${path}.nonResourceURLs[${index}]`,
        "non-resource URLs begin with / or are *, which stands at their end only",
      );
  return {
    level,
    users: strings("users"),
    userGroups: strings("userGroups"),
    verbs: strings("verbs"),
    resources: resources.map((each, index) => groupOf(read, each, `${path}.resources[${index}]`)),
    namespaces: strings("namespaces"),
    nonResourceURLs,
    omitStages: read.oneOf(rule["omitStages"], `${path}.omitStages`, stages),
    omitManagedFields: read.boolean(rule["omitManagedFields"], `${path}.omitManagedFields`),
  };
}

function groupOf(read: PolicyReader, value: unknown, path: string): GroupResources {
  const group = read.fields(value, path);
  read.known(group, path, ["group", "resources", "resourceNames"]);
  const name = group["group"] ?? "";
  if (typeof name !== "string") return read.fail(`${path}.group`, "must be a string");
  const resources = read.strings(group["resources"], `${path}.resources`);
  const resourceNames = read.strings(group["resourceNames"], `${path}.resourceNames`);
  if (resourceNames.length > 0 && resources.length === 0)
    return read.fail(`${path}.resourceNames`, "using resourceNames requires at least one resource");
  return { group: name, resources, resourceNames };
}

class PolicyReader {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  fail(path: string, why: string): never {
    throw new AuditPolicyError(`${this.#source}: ${path === "" ? "" : `${path}: `}${why}`);
  }

  document(text: string): unknown {
    try {
      return parse(text);
    } catch (error) {
      return this.fail("", error instanceof Error ? error.message : String(error));
    }
  }

  fields(value: unknown, path: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return this.fail(path, "must be an object");
    return { ...value };
  }

  known(fields: Fields, path: string, names: readonly string[]): void {
    const unknown = Object.keys(fields).find((name) => !names.includes(name));
    if (unknown !== undefined) this.fail(path, `there is no field ${JSON.stringify(unknown)}`);
  }

  list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    return Array.isArray(value) ? value : this.fail(path, "must be a list");
  }

  strings(value: unknown, path: string): readonly string[] {
    return this.list(value, path).map((item, index) =>
      typeof item === "string" ? item : this.fail(`${path}[${index}]`, "must be a string"),
    );
  }

  oneOf<T extends string>(value: unknown, path: string, names: readonly T[]): readonly T[] {
    return this.strings(value, path).map(
      (item) => names.find((name) => name === item) ?? this.fail(path, `must be of ${names.join(", ")}`),
    );
  }

  boolean(value: unknown, path: string): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    return typeof value === "boolean" ? value : this.fail(path, "must be true or false");
  }
}
