// The schemas and levels no server is without: whoever can change flow control could lock everyone out by them.
import {
  deepEqual,
  type FieldError,
  type FlowSchemaSpec,
  fieldError,
  type PriorityLevelConfigurationSpec,
} from "@kubewright/api";
import { internalLevel, internalSchema } from "./internal-flow.js";

/** Whatever is asked for. */
export const everything = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const group = (name: string) => ({ kind: "Group", group: { name } });
/** Whoever asks. */
export const everyone = [group("system:unauthenticated"), group("system:authenticated")];

/** By name. */
export const mandatorySchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    "exempt",
    {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [{ ...everything, subjects: [group("system:masters")] }],
    },
  ],
  [
    "catch-all",
    {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ ...everything, subjects: everyone }],
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

/** A schema of such a name may not say anything else. */
export const validateMandatorySchema = (name: string, spec: FlowSchemaSpec | undefined): FieldError[] =>
  fixedErrors(spec, mandatorySchemas.get(name), internalSchema(spec), name);

/** A level of such a name may not either, except for how much of the server those who are exempt leave to others. */
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
