// One device of a slice.
import {
  type Device,
  type DeviceAttribute,
  type DeviceCounterConsumption,
  deepEqual,
  type FieldError,
  fieldError,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { validateNodeTerms } from "../pod/validate-node-selector.js";
import { validateBindingConditions } from "./binding-conditions.js";
import { validateEntries, validateList, validateSet } from "./bounded-list.js";
import { validateDeviceCapacity } from "./device-capacity.js";
import { validateLabelName, validateQualifiedDeviceName } from "./device-names.js";
import { validateDeviceTaint } from "./device-taints.js";

const mostProperties = 32;
const mostAttributeValues = 48;
const mostTaints = 16;
const mostConsumptions = 2;
/** Of a set of counters, or of what a device takes of one. */
const mostCounters = 32;
const longestValue = 64;
const semver =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** Problems with a device; what did not change since `before` may be older than its rules. */
export function validateDevice(
  device: Device,
  before: Device | undefined,
  perDeviceNodes: boolean,
  field: string,
): FieldError[] {
  const shared = device.allowMultipleAllocations === true;
  return [
    ...validateLabelName(device.name, `${field}.name`),
    ...countErrors(device, field),
    ...validateEntries(
      device.attributes,
      Infinity,
      `${field}.attributes`,
      validateQualifiedDeviceName,
      attributeErrors,
    ),
    ...(before && deepEqual(before.capacity, device.capacity)
      ? []
      : validateEntries(
          device.capacity,
          Infinity,
          `${field}.capacity`,
          validateQualifiedDeviceName,
          (capacity, at) => validateDeviceCapacity(capacity, shared, at),
        )),
    ...(before && deepEqual(before.taints, device.taints)
      ? []
      : validateList(device.taints, mostTaints, `${field}.taints`, validateDeviceTaint)),
    ...validateSet(
      device.consumesCounters,
      mostConsumptions,
      `${field}.consumesCounters`,
      consumptionErrors,
      ({ counterSet }) => counterSet,
    ),
    ...nodeErrors(device, perDeviceNodes, field),
    ...validateBindingConditions(device, field),
  ];
}

function countErrors({ attributes = {}, capacity = {} }: Device, field: string): FieldError[] {
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const values = Object.values(attributes).reduce((sum, attribute) => sum + valuesOf(attribute), 0);
  return [
    ...(count > mostProperties
      ? [
          fieldError.invalid(
            field,
            count,
            `the total number of attributes and capacities must not exceed ${mostProperties}`,
          ),
        ]
      : []),
    ...(values > mostAttributeValues
      ? [
          fieldError.invalid(
            field,
            values,
            `the total number of attribute values must not exceed ${mostAttributeValues}`,
          ),
        ]
      : []),
  ];
}

const listsOf = ({ bools, ints, strings, versions }: DeviceAttribute): readonly (readonly unknown[])[] =>
  [bools, ints, strings, versions].filter((list) => list !== undefined);

const valuesOf = (attribute: DeviceAttribute): number =>
  listsOf(attribute).reduce((sum, list) => sum + list.length, 0) || 1;

function attributeErrors(attribute: DeviceAttribute, field: string): FieldError[] {
  const { bool, int, string, version, strings = [], versions = [] } = attribute;
  const single = [bool, int, string, version].filter((value) => value !== undefined);
  const count = single.length + listsOf(attribute).length;
  return [
    ...(string === undefined ? [] : lengthErrors(string, `${field}.string`)),
    ...(version === undefined ? [] : versionErrors(version, `${field}.version`)),
    ...checkEach(strings, (text, index) => lengthErrors(text, `${field}.strings[${index}]`)),
    ...checkEach(versions, (text, index) => versionErrors(text, `${field}.versions[${index}]`)),
    ...(count === 1
      ? []
      : [fieldError.invalid(field, count === 0 ? "" : attribute, "exactly one value must be specified")]),
  ];
}

const lengthErrors = (text: string, field: string): FieldError[] =>
  text.length > longestValue ? [fieldError.tooLong(field, longestValue)] : [];

const versionErrors = (text: string, field: string): FieldError[] => [
  ...(text.length <= 256 && semver.test(text)
    ? []
    : [fieldError.invalid(field, text, "must be a string compatible with semver.org spec 2.0.0")]),
  ...lengthErrors(text, field),
];

function consumptionErrors({ counterSet, counters }: DeviceCounterConsumption, field: string): FieldError[] {
  return [
    ...(counterSet
      ? validateLabelName(counterSet, `${field}.counterSet`)
      : [fieldError.required(`${field}.counterSet`)]),
    ...validateCounters(counters, `${field}.counters`),
  ];
}

/** Counters by name: there must be some, and any amount will do. */
export function validateCounters(
  counters: Readonly<Record<string, unknown>> | undefined,
  field: string,
): FieldError[] {
  if (Object.keys(counters ?? {}).length === 0) return [fieldError.required(field)];
  return validateEntries(counters, mostCounters, field, validateLabelName, () => []);
}

/** Where a device can be reached, if that is not the same for the whole slice. */
function nodeErrors(device: Device, perDevice: boolean, field: string): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (nodeName === undefined && !nodeSelector && allNodes === undefined) return [];
    const text =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return [fieldError.invalid(field, null, text)];
  }
  const text =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  const set = [
    ...(nodeName ? ["`nodeName`"] : []),
    ...(nodeSelector ? ["`nodeSelector`"] : []),
    ...(allNodes ? ["`allNodes`"] : []),
  ];
  return [
    ...(nodeName === undefined ? [] : nameErrors(nodeName, `${field}.nodeName`, "must not be empty")),
    ...(nodeSelector
      ? validateNodeTerms(nodeSelector.nodeSelectorTerms ?? [], `${field}.nodeSelector.nodeSelectorTerms`)
      : []),
    ...(allNodes === false
      ? [fieldError.invalid(`${field}.allNodes`, false, "must be either unset or set to true")]
      : []),
    ...(set.length === 0 ? [fieldError.required(field, text)] : []),
    ...(set.length > 1 ? [fieldError.invalid(field, `{${set.join(", ")}}`, text)] : []),
  ];
}

/** The name of a node, which is not empty where it is set. */
export const nameErrors = (name: string, field: string, emptyText: string): FieldError[] =>
  name === ""
    ? [fieldError.invalid(field, name, emptyText)]
    : invalidBecause(validateDns1123Subdomain(name), name, field);
