// StorageClasses: how volumes are made. A class that made volumes cannot become another one.

import {
  type FieldError,
  fieldError,
  type StorageClass,
  type TopologySelectorTerm,
  validateQualifiedName,
} from "@kubewright/api";
import { canonicalJson } from "@kubewright/machinery";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach, maxErrors } from "../check-each.js";
import { deprecatedLabel } from "../deprecated-node-labels.js";
import { immutable, invalidBecause, oneOfIfSet } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { repeated } from "../repeated.js";
import { validateParameters } from "./validate-parameters.js";
import { validateProvisioner } from "./validate-provisioner.js";

export const storageClasses: BuiltInKind = {
  resource: "storageclasses.storage.k8s.io",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    returnsDeleted: true,
    applyDefaults(object) {
      const storageClass = draftAs<StorageClass>(object);
      storageClass.reclaimPolicy ??= "Delete";
      storageClass.volumeBindingMode ??= "Immediate";
    },
    validateCreate: (object) => validateClass(draftAs<StorageClass>(object)),
    validateUpdate(object, old) {
      const now = draftAs<StorageClass>(object);
      const before = storedAs<StorageClass>(old);
      const fixed = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const;
      return [
        ...validateClass(now),
        ...fixed.flatMap((field) => immutable(now[field], before[field], field)),
      ];
    },
    warnings: (object) => topologyWarnings(draftAs<StorageClass>(object).allowedTopologies ?? []),
  },
};

const topologyWarnings = (terms: readonly TopologySelectorTerm[]): string[] =>
  terms.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.flatMap(({ key }, at) => {
      const text = deprecatedLabel(key);
      return text ? [`allowedTopologies[${index}].matchLabelExpressions[${at}].key: ${text}`] : [];
    }),
  );

function validateClass(storageClass: StorageClass): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  return [
    ...validateProvisioner(provisioner, "provisioner"),
    ...validateParameters(parameters, "parameters"),
    ...oneOfIfSet(reclaimPolicy || undefined, ["Delete", "Retain"], "reclaimPolicy"),
    ...oneOfIfSet(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"], "volumeBindingMode"),
    ...topologyErrors(allowedTopologies),
  ];
}

function topologyErrors(terms: readonly TopologySelectorTerm[]): FieldError[] {
  const known = new Map<string, number>();
  return checkEach(terms, ({ matchLabelExpressions = [] }, index) => {
    const field = `allowedTopologies[${index}]`;
    const keysTwice = repeated(matchLabelExpressions.map(({ key }) => key));
    const twins = countTwins(matchLabelExpressions, known, terms.length);
    return [
      ...checkEach(matchLabelExpressions, ({ key, ...rest }, at) => {
        const values = rest.values ?? [];
        const place = `${field}.matchLabelExpressions[${at}]`;
        return [
          ...(values.length === 0 ? [fieldError.required(`${place}.values`)] : []),
          ...[...repeated(values)].map((position) =>
            fieldError.duplicate(`${place}.values[${position}]`, values[position]),
          ),
          ...invalidBecause(validateQualifiedName(key), key, `${place}.key`),
          ...(keysTwice.has(at) ? [fieldError.duplicate(`${place}.key`, key)] : []),
        ];
      }),
      ...Array.from({ length: twins }, () => fieldError.duplicate(`${field}.matchLabelExpressions`, "")),
    ];
  });
}

/**
 * How many terms a term is reported to repeat: those before it that select the same, in whatever order. kube-apiserver takes
 * a term without expressions for a repetition of as many as there are in all.
 */
function countTwins(
  expressions: NonNullable<TopologySelectorTerm["matchLabelExpressions"]>,
  known: Map<string, number>,
  all: number,
): number {
  const byKey = new Map(expressions.map(({ key, values }) => [key, [...new Set(values ?? [])].sort()]));
  const identity = canonicalJson([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
  const before = known.get(identity) ?? (byKey.size === 0 ? all : 0);
  known.set(identity, before + 1);
  return Math.min(before, maxErrors);
}
