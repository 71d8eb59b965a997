// One rule of a FlowSchema: who asks, and for what.
import {
  type FieldError,
  fieldError,
  type NonResourcePolicyRule,
  type PolicyRulesWithSubjects,
  type ResourcePolicyRule,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, requiredText } from "../field-rules.js";

type FlowSubject = PolicyRulesWithSubjects["subjects"][number];

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/** Lists that must be there are null when they are empty. */
const listOf = <T>(list: readonly T[] | null | undefined): readonly T[] => list ?? [];

/** Problems with a rule. */
export function validateFlowRule(rule: PolicyRulesWithSubjects, field: string): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = listOf(rule.subjects);
  const nothing = resourceRules.length === 0 && nonResourceRules.length === 0;
  const text = "at least one of resourceRules and nonResourceRules has to be non-empty";
  return [
    ...(subjects.length === 0
      ? [fieldError.required(`${field}.subjects`, "subjects must contain at least one value")]
      : checkEach(subjects, (subject, index) => subjectErrors(subject, `${field}.subjects[${index}]`))),
    ...(nothing ? [fieldError.required(field, text)] : []),
    ...checkEach(resourceRules, (one, index) => resourceErrors(one, `${field}.resourceRules[${index}]`)),
    ...checkEach(nonResourceRules, (one, index) => pathErrors(one, `${field}.nonResourceRules[${index}]`)),
  ];
}

const parts = { Group: "group", ServiceAccount: "serviceAccount", User: "user" } as const;
type SubjectKind = keyof typeof parts;
const kinds = Object.keys(parts);
const isKind = (kind: string): kind is SubjectKind => kinds.includes(kind);

/** Exactly the part that the kind names. */
function subjectErrors(subject: FlowSubject, field: string): FieldError[] {
  const { kind = "" } = subject;
  if (!isKind(kind)) return [fieldError.notSupported(`${field}.kind`, kind, kinds)];
  const wanted = parts[kind];
  const at = `${field}.${wanted}`;
  const own = subject[wanted];
  return [
    ...(own
      ? namedErrors(subject, kind, at)
      : [fieldError.required(at, `${wanted} is required when subject kind is '${kind}'`)]),
    ...(["ServiceAccount", "User", "Group"] as const)
      .filter((other) => other !== kind && subject[parts[other]] !== undefined)
      .map((other) => {
        const text = `${parts[other]} is forbidden when subject kind is not '${other}'`;
        return fieldError.forbidden(`${field}.${parts[other]}`, text);
      }),
  ];
}

function namedErrors(
  { user, group, serviceAccount }: FlowSubject,
  kind: SubjectKind,
  field: string,
): FieldError[] {
  if (kind !== "ServiceAccount") return requiredText((kind === "User" ? user : group)?.name, `${field}.name`);
  const { name = "", namespace = "" } = serviceAccount ?? {};
  const place = `${field}.namespace`;
  return [
    ...(name === "" || name === "*"
      ? requiredText(name, `${field}.name`)
      : invalidBecause(validateDns1123Subdomain(name), name, `${field}.name`)),
    ...(namespace === ""
      ? [fieldError.required(place, "must specify namespace for service account")]
      : invalidBecause(validateDns1123Label(namespace), namespace, place)),
  ];
}

function verbErrors(named: readonly string[], field: string): FieldError[] {
  if (named.length === 0) return [fieldError.required(field, "verbs must contain at least one value")];
  if (named.includes("*")) return alone(named, "verbs", field);
  return named.every((verb) => verbs.includes(verb)) ? [] : [fieldError.notSupported(field, named, verbs)];
}

/** A star means everything, so nothing else can stand beside it. */
const alone = (values: readonly string[], what: string, field: string): FieldError[] =>
  values.length > 1 && values.includes("*")
    ? [fieldError.invalid(field, values, `if '*' is present, must not specify other ${what}`)]
    : [];

function resourceErrors(rule: ResourcePolicyRule, field: string): FieldError[] {
  const { clusterScope = false } = rule;
  const namespaces = listOf(rule.namespaces);
  const apiGroups = listOf(rule.apiGroups);
  const resources = listOf(rule.resources);
  const needed = "resource rules that are not cluster scoped must supply at least one namespace";
  const place = `${field}.namespaces`;
  return [
    ...verbErrors(listOf(rule.verbs), `${field}.verbs`),
    ...some(
      apiGroups,
      "resource rules must supply at least one api group",
      "api groups",
      `${field}.apiGroups`,
    ),
    ...some(resources, "resource rules must supply at least one resource", "resources", `${field}.resources`),
    ...(namespaces.length === 0 && !clusterScope ? [fieldError.required(place, needed)] : []),
    ...(namespaces.includes("*")
      ? alone(namespaces, "namespaces", place)
      : namespaceErrors(namespaces, place)),
  ];
}

const some = (values: readonly string[], needed: string, what: string, field: string): FieldError[] =>
  values.length === 0 ? [fieldError.required(field, needed)] : alone(values, what, field);

function namespaceErrors(namespaces: readonly string[], field: string): FieldError[] {
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return checkEach(namespaces, (name, index) =>
    invalidBecause(
      validateDns1123Label(name).map((text) => intro + text),
      name,
      `${field}[${index}]`,
    ),
  );
}

function pathErrors(rule: NonResourcePolicyRule, field: string): FieldError[] {
  const nonResourceURLs = listOf(rule.nonResourceURLs);
  const at = `${field}.nonResourceURLs`;
  return [
    ...verbErrors(listOf(rule.verbs), `${field}.verbs`),
    ...some(nonResourceURLs, "nonResourceURLs must contain at least one value", "non-resource URLs", at),
    ...(nonResourceURLs.includes("*")
      ? []
      : checkEach(nonResourceURLs, (path, index) => {
          const text = pathProblem(path);
          return text === undefined ? [] : [fieldError.invalid(`${at}[${index}]`, path, text)];
        })),
  ];
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const stars = path.split("*").length - 1;
  const fits = stars === 0 || (stars === 1 && path.endsWith("/*"));
  return fits ? undefined : "wildcard can only do suffix matching";
}
