// CSINodes: which storage drivers a node has.
import {
  type CSINode,
  type CSINodeDriver,
  type FieldError,
  fieldError,
  utf8Length,
  validateQualifiedName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { immutable, invalidBecause } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { repeated } from "../repeated.js";
import { shownStruct } from "../shown-struct.js";

const maxNodeIdBytes = 256;

export const csiNodes: BuiltInKind = {
  resource: "csinodes.storage.k8s.io",
  strategy: {
    metadata: { onUpdate: ["object"] },
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    validateCreate: validateNode,
    validateUpdate: (object, old) => [
      ...validateNode(object),
      ...changeErrors(draftAs<CSINode>(object), storedAs<CSINode>(old)),
    ],
  },
};

function validateNode(object: DraftObject): FieldError[] {
  const drivers = draftAs<CSINode>(object).spec?.drivers ?? [];
  const twice = repeated(drivers.map(({ name }) => name));
  return checkEach(drivers, (driver, index) => {
    const field = `spec.drivers[${index}]`;
    return driverErrors(driver, twice.has(index), field);
  });
}

function driverErrors(
  { name, nodeID, allocatable, ...rest }: CSINodeDriver,
  isTwice: boolean,
  field: string,
): FieldError[] {
  const topologyKeys = rest.topologyKeys ?? [];
  const keysTwice = repeated(topologyKeys);
  const id = `${field}.nodeID`;
  return [
    ...validateCsiDriverName(name, `${field}.name`),
    ...(nodeID === "" ? [fieldError.required(id)] : []),
    ...(utf8Length(nodeID) > maxNodeIdBytes
      ? [fieldError.invalid(id, nodeID, `must be ${maxNodeIdBytes} characters or less`)]
      : []),
    ...(allocatable?.count !== undefined && allocatable.count < 0
      ? [
          fieldError.invalid(
            `${field}.allocatable.count`,
            allocatable.count,
            "must be greater than or equal to 0",
          ),
        ]
      : []),
    ...(isTwice ? [fieldError.duplicate(`${field}.name`, name)] : []),
    ...checkEach(topologyKeys, (key, index) => [
      ...(key === "" ? [fieldError.required(field)] : []),
      ...(keysTwice.has(index) ? [fieldError.duplicate(field, key)] : []),
      ...invalidBecause(validateQualifiedName(key), key, field),
    ]),
  ];
}

/** Drivers come and go, but while one is there only its capacity may change. */
function changeErrors({ spec }: CSINode, { spec: before }: CSINode): FieldError[] {
  const then = new Map((before.drivers ?? []).map((driver) => [driver.name, driver]));
  return checkEach(spec.drivers ?? [], (driver) => {
    const { allocatable: _now, ...now } = driver;
    const { allocatable: _then, ...known } = then.get(driver.name) ?? driver;
    return immutable(now, known, "spec.drivers", shownStruct(now, "k8s.io.api.storage.v1.CSINodeDriver"));
  });
}
