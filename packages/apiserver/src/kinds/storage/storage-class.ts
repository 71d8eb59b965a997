// StorageClasses: how volumes are made. A class that made volumes cannot become another one.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type StorageClass,
  type TopologySelectorTerm,
  validateQualifiedName,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { draftAs, storedAs } from "../as-kind.js";
import { deprecatedLabel } from "../deprecated-node-labels.js";
import { immutable, oneOf, problems } from "../field-rules.js";
import { validateParameters } from "./validate-parameters.js";
import { validateProvisioner } from "./validate-provisioner.js";

export const storageClasses: NativeKind = {
  resource: "storageclasses.storage.k8s.io",
  strategy: {
    repeatsMetadataChecks: true,
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
    ...oneOf(reclaimPolicy, ["Delete", "Retain"], "reclaimPolicy"),
    ...oneOf(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"], "volumeBindingMode"),
    ...topologyErrors(allowedTopologies),
  ];
}

function topologyErrors(terms: readonly TopologySelectorTerm[]): FieldError[] {
  return terms.flatMap(({ matchLabelExpressions = [] }, index) => {
    const field = `allowedTopologies[${index}]`;
    const keys = matchLabelExpressions.map(({ key }) => key);
    const twice = terms.findIndex((other) => deepEqual(other, terms[index])) < index;
    return [
      ...(twice ? [fieldError.duplicate(`${field}.matchLabelExpressions`, "")] : []),
      ...matchLabelExpressions.flatMap(({ key, ...rest }, at) => {
        const values = rest.values ?? [];
        const place = `${field}.matchLabelExpressions[${at}]`;
        return [
          ...(values.length === 0 ? [fieldError.required(`${place}.values`)] : []),
          ...values.flatMap((value, position) =>
            values.indexOf(value) < position
              ? [fieldError.duplicate(`${place}.values[${position}]`, value)]
              : [],
          ),
          ...problems(validateQualifiedName(key), key, `${place}.key`),
          ...(keys.indexOf(key) < at ? [fieldError.duplicate(`${place}.key`, key)] : []),
        ];
      }),
    ];
  });
}
