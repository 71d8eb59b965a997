// The mandatory FlowSchemas and priority levels: by changing them, someone with access to flow control could lock everyone out.
import {
  deepEqual,
  type FieldError,
  type FlowSchemaSpec,
  fieldError,
  type PriorityLevelConfigurationSpec,
} from "@kubewright/api";
import { internalLevel, internalSchema } from "./internal-flow.js";

/** The rules that match every request. */
export const allRequests = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const group = (name: string) => ({ kind: "Group", group: { name } });
/** The subjects of a rule that matches every user. */
export const allUsers = [group("system:unauthenticated"), group("system:authenticated")];

/** By name. */
export const mandatorySchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    "exempt",
    {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [{ ...allRequests, subjects: [group("system:masters")] }],
    },
  ],
  [
    "catch-all",
    {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ ...allRequests, subjects: allUsers }],
    },
  ],
]);

/** By name, without what may be changed of them. */
export const mandatoryLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ["exempt", { type: "Exempt" }],
  [
    "catch-all",
    {
      type: "Limited",
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
    },
  ],
]);

/** A mandatory FlowSchema must equal its fixed spec. */
export const validateMandatorySchema = (name: string, spec: FlowSchemaSpec | undefined): FieldError[] =>
  fixedErrors(spec, mandatorySchemas.get(name), internalSchema(spec), name);

/** A mandatory priority level must equal its fixed spec; of `exempt`, the field `spec.exempt` may change. */
export function validateMandatoryLevel(
  name: string,
  spec: PriorityLevelConfigurationSpec | undefined,
): FieldError[] {
  const fixed = mandatoryLevels.get(name);
  if (name !== "exempt") return fixedErrors(spec, fixed, internalLevel(spec), name);
  const { exempt: _free, ...rest } = spec ?? {};
  const text = `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`;
  return deepEqual(rest, fixed) ? [] : [fieldError.invalid("spec", internalLevel(spec), text)];
}

const fixedErrors = (spec: unknown, fixed: unknown, shown: object, name: string): FieldError[] =>
  fixed === undefined || deepEqual(spec, fixed)
    ? []
    : [fieldError.invalid("spec", shown, `spec of '${name}' must equal the fixed value`)];
