// PriorityClasses: a number under a name, which never changes.
import { type FieldError, fieldError, type PriorityClass } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable, oneOf } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";

const highestForUsers = 1_000_000_000;
const system: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

export const priorityClasses: BuiltInKind = {
  resource: "priorityclasses.scheduling.k8s.io",
  strategy: {
    hasGeneration: true,
    applyDefaults(object) {
      draftAs<PriorityClass>(object).preemptionPolicy ??= "PreemptLowerPriority";
    },
    validateCreate: (object) => validateClass(draftAs<PriorityClass>(object)),
    validateUpdate(object, old) {
      const now = draftAs<PriorityClass>(object);
      const before = storedAs<PriorityClass>(old);
      const changed =
        now.value === before.value ? [] : [fieldError.forbidden("value", "may not be changed in an update.")];
      return [...changed, ...immutable(now.preemptionPolicy, before.preemptionPolicy, "preemptionPolicy")];
    },
  },
};

function validateClass(priorityClass: PriorityClass): FieldError[] {
  const { preemptionPolicy, value = 0 } = priorityClass;
  const policies = ["PreemptLowerPriority", "Never"];
  const errors = reservedNameErrors(priorityClass);
  if (!isReserved(priorityClass) && value > highestForUsers) {
    const text = `maximum allowed value of a user defined priority is ${highestForUsers}`;
    errors.push(fieldError.forbidden("value", text));
  }
  return [...errors, ...oneOf(preemptionPolicy, policies, "preemptionPolicy")];
}

const isReserved = ({ metadata }: PriorityClass): boolean => metadata?.name?.startsWith("system-") ?? false;

function reservedNameErrors(priorityClass: PriorityClass): FieldError[] {
  if (!isReserved(priorityClass)) return [];
  const { metadata, value, globalDefault } = priorityClass;
  const name = metadata?.name ?? "";
  const why = reservedProblem(name, value ?? 0, globalDefault ?? false);
  if (why === undefined) return [];
  const text = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
  return [fieldError.forbidden("metadata.name", text)];
}

function reservedProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = Object.hasOwn(system, name) ? system[name] : undefined;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
