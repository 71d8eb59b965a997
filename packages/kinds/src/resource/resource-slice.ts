// ResourceSlices: the devices of a driver, as far as one object can hold them.
import {
  type CounterSet,
  type FieldError,
  fieldError,
  formatTime,
  type ResourceSlice,
  type ResourceSliceSpec,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { countGeneration } from "../count-generation.js";
import { immutable } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { validateNodeTerms } from "../pod/validate-node-selector.js";
import { validateSet } from "./bounded-list.js";
import { validateDriverName, validateLabelName, validatePoolName } from "./device-names.js";
import { nameErrors, validateCounters, validateDevice } from "./validate-device.js";

const mostDevices = 128;
/** Where any of them has taints, takes of counters or has lists of attributes. */
const mostSpecialDevices = 64;
const mostCounterSets = 8;

const generation = countGeneration("spec");

export const resourceSlices: BuiltInKind = {
  resource: "resourceslices.resource.k8s.io",
  strategy: {
    ...generation,
    returnsDeleted: true,
    selectableFields: ["spec.nodeName", "spec.driver"],
    selectableField(object, field) {
      const { spec } = storedAs<ResourceSlice>(object);
      return (field === "spec.driver" ? spec.driver : spec.nodeName) ?? "";
    },
    unknownFieldText: (field) =>
      `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
    prepareForCreate: (object, { clock }) => stampTaints(object, clock.now()),
    prepareForUpdate(object, old, context) {
      stampTaints(object, context.clock.now());
      generation.prepareForUpdate(object, old, context);
    },
    validateCreate: (object) => specErrors(draftAs<ResourceSlice>(object).spec, undefined),
    validateUpdate: (object, old) =>
      specErrors(draftAs<ResourceSlice>(object).spec, storedAs<ResourceSlice>(old).spec),
  },
};

/** Taints that do not say since when are new. */
function stampTaints(object: DraftObject, now: number): void {
  for (const { taints } of draftAs<ResourceSlice>(object).spec?.devices ?? [])
    for (const taint of taints ?? []) taint.timeAdded ??= formatTime(now);
}

function specErrors(spec: ResourceSliceSpec, before: ResourceSliceSpec | undefined): FieldError[] {
  const { driver = "", pool, devices, sharedCounters } = spec;
  const known = new Map((before?.devices ?? []).map((device) => [device.name, device]));
  const perDevice = spec.perDeviceNodeSelection === true;
  return [
    ...validateDriverName(driver, "spec.driver"),
    ...poolErrors(pool),
    ...(before ? changeErrors(spec, before) : []),
    ...nodeErrors(spec),
    ...(devices && sharedCounters
      ? [fieldError.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")]
      : []),
    ...validateSet(
      devices,
      (devices ?? []).some(isSpecial) ? mostSpecialDevices : mostDevices,
      "spec.devices",
      (device, at) => validateDevice(device, known.get(device.name), perDevice, at),
      ({ name }) => name,
    ),
    ...validateSet(
      sharedCounters,
      mostCounterSets,
      "spec.sharedCounters",
      counterSetErrors,
      ({ name }) => name,
    ),
  ];
}

type Device = NonNullable<ResourceSliceSpec["devices"]>[number];

const isSpecial = ({ taints, consumesCounters, attributes }: Device): boolean =>
  (taints ?? []).length > 0 ||
  (consumesCounters ?? []).length > 0 ||
  Object.values(attributes ?? {}).some(
    ({ bools, ints, strings, versions }) => bools ?? ints ?? strings ?? versions,
  );

function poolErrors(pool: ResourceSliceSpec["pool"] | undefined): FieldError[] {
  const { name = "", resourceSliceCount = 0, generation: number = 0 } = pool ?? {};
  const field = "spec.pool";
  return [
    ...validatePoolName(name, `${field}.name`),
    ...(resourceSliceCount <= 0
      ? [fieldError.invalid(`${field}.resourceSliceCount`, resourceSliceCount, "must be greater than zero")]
      : []),
    ...(number < 0
      ? [fieldError.invalid(`${field}.generation`, number, "must be greater than or equal to zero")]
      : []),
  ];
}

const changeErrors = (spec: ResourceSliceSpec, before: ResourceSliceSpec): FieldError[] => [
  ...immutable(spec.pool?.name, before.pool?.name, "spec.pool.name"),
  ...immutable(spec.driver, before.driver, "spec.driver"),
  ...immutable(spec.nodeName, before.nodeName, "spec.nodeName"),
];

/** From where the devices can be reached: exactly one field says so. */
function nodeErrors(spec: ResourceSliceSpec): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  const termsField = "spec.nodeSelector.nodeSelectorTerms";
  const set = [
    ...(nodeName ? ["`nodeName`"] : []),
    ...(nodeSelector ? ["`nodeSelector`"] : []),
    ...(allNodes ? ["`allNodes`"] : []),
    ...(perDeviceNodeSelection ? ["`perDeviceNodeSelection`"] : []),
  ];
  const text = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  const unset = "must be either unset or set to";
  return [
    ...(nodeName === undefined ? [] : nameErrors(nodeName, "spec.nodeName", `${unset} a non-empty string`)),
    ...(nodeSelector ? validateNodeTerms(terms, termsField) : []),
    ...(nodeSelector && terms.length !== 1
      ? [fieldError.invalid(termsField, terms, "must have exactly one node selector term")]
      : []),
    ...(allNodes === false ? [fieldError.invalid("spec.allNodes", false, `${unset} true`)] : []),
    ...(perDeviceNodeSelection === false
      ? [fieldError.invalid("spec.perDeviceNodeSelection", false, `${unset} true`)]
      : []),
    ...(set.length === 0 ? [fieldError.required("spec", text)] : []),
    ...(set.length > 1
      ? [fieldError.invalid("spec", `{${set.join(", ")}}`, `${text}, but multiple fields are set`)]
      : []),
  ];
}

const counterSetErrors = ({ name, counters }: CounterSet, field: string): FieldError[] => [
  ...(name ? validateLabelName(name, `${field}.name`) : [fieldError.required(`${field}.name`)]),
  ...validateCounters(counters, `${field}.counters`),
];
