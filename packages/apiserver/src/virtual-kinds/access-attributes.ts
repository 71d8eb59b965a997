// The attributes of an access review, as authorizers take them.

import {
  FieldMatcher,
  LabelMatcher,
  type ResourceAttributes,
  type SubjectAccessReviewSpec,
} from "@kubewright/api";
import type { AccessQuestion, UserInfo } from "@kubewright/kinds";

type Attributes = Pick<SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;

/** The question behind a valid spec. */
export function questionAbout(user: UserInfo, spec: Attributes): AccessQuestion {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (!resource) return { kind: "path", user, verb: path?.verb ?? "", path: path?.path ?? "" };
  return {
    kind: "resource",
    user,
    verb: resource.verb ?? "",
    group: resource.group ?? "",
    version: resource.version || "*",
    resource: resource.resource ?? "",
    subresource: resource.subresource ?? "",
    namespace: resource.namespace ?? "",
    name: resource.name ?? "",
    fieldSelector: selectorText(resource.fieldSelector),
  };
}

/** Either form of a field selector as clients of lists write it. */
function selectorText(selector: ResourceAttributes["fieldSelector"]): string | undefined {
  const understood = selector?.requirements?.filter(isFieldRequirement) ?? [];
  if (understood.length === 0) return selector?.rawSelector || undefined;
  return understood
    .map(({ key, operator, values = [] }) => `${key}${operator === "In" ? "=" : "!="}${values[0]}`)
    .join(",");
}

/** The user a spec describes. */
export const userAbout = ({ user = "", uid, groups, extra }: SubjectAccessReviewSpec): UserInfo => ({
  name: user,
  ...(uid ? { uid } : {}),
  groups: groups ?? [],
  ...(extra ? { extra } : {}),
});

/** The errors of selectors that could not be parsed, which then limit the check less than was meant. */
export function evaluationError(attributes: ResourceAttributes | undefined): string {
  const { fieldSelector, labelSelector } = attributes ?? {};
  const parts = [
    problem("fieldSelector", fieldSelector, (text) => FieldMatcher.parse(text), isFieldRequirement),
    problem("labelSelector", labelSelector, (text) => LabelMatcher.parse(text), isLabelRequirement),
  ];
  return parts.filter((text) => text !== undefined).join("; ");
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

function problem(
  name: string,
  selector:
    | { rawSelector?: string | undefined; requirements?: readonly Requirement[] | undefined }
    | undefined,
  parse: (text: string) => unknown,
  understood: (requirement: Requirement) => boolean,
): string | undefined {
  const requirements = selector?.requirements ?? [];
  const good = requirements.filter(understood).length;
  const ignored = `spec.resourceAttributes.${name} ignored due to parse error`;
  if (good < requirements.length)
    return good === 0 ? ignored : ignored.replace("ignored", "partially ignored");
  return selector?.rawSelector && !parses(parse, selector.rawSelector) ? ignored : undefined;
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const isFieldRequirement = ({ operator, values = [] }: Requirement): boolean =>
  (operator === "In" || operator === "NotIn") && values.length === 1;

const isLabelRequirement = ({ operator }: Requirement): boolean =>
  ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);
