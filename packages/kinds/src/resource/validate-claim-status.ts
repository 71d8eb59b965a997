// Validates the status of ResourceClaims: allocated devices, reservations and device health.
import {
  type AllocatedDeviceStatus,
  type AllocationResult,
  type DeviceAllocationConfiguration,
  type DeviceRequestAllocationResult,
  type FieldError,
  fieldError,
  type NetworkDeviceData,
  type ResourceClaim,
  type ResourceClaimConsumerReference,
} from "@kubewright/api";
import { immutable, oneOf, requiredText } from "../field-rules.js";
import { formatAddress, parseRange } from "../network/ip.js";
import { validateNodeTerms } from "../pod/validate-node-selector.js";
import { validateConditions } from "../validate-conditions.js";
import { validateBindingConditions } from "./binding-conditions.js";
import { validateList, validateSet } from "./bounded-list.js";
import { validateDeviceConfiguration, validateRawObject } from "./device-configuration.js";
import { validateDriverName, validateLabelName, validatePoolName, validateUid } from "./device-names.js";
import {
  mostOfEach,
  requestNames,
  validateRequestName,
  validateRequestNames,
} from "./validate-device-claim.js";

const mostConsumers = 256;
const mostConditions = 8;
const mostAddresses = 16;
const longestInterface = 256;
const longestHardwareAddress = 128;

/** Problems with a status, and with what became of the one before. */
export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const { reservedFor, allocation, devices } = claim.status ?? {};
  const before = old.status?.allocation;
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  return [
    ...validateSet(reservedFor, mostConsumers, "status.reservedFor", consumerErrors, ({ uid }) => uid),
    ...validateSet(
      devices,
      Infinity,
      "status.devices",
      (device, at) => deviceErrors(device, allocated, at),
      deviceKey,
    ),
    ...reservationErrors(claim, old),
    ...(allocation && before ? immutable(allocation, before, "status.allocation") : []),
    ...(allocation && !before ? allocationErrors(allocation, requestNames(claim.spec?.devices)) : []),
  ];
}

interface Identified {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string | undefined;
}

const deviceKey = ({ driver, pool, device, shareID }: Identified): string =>
  [driver, pool, device, ...(shareID ? [shareID] : [])].join("/");

const consumerErrors = (consumer: ResourceClaimConsumerReference, field: string): FieldError[] => [
  ...requiredText(consumer.resource, `${field}.resource`),
  ...requiredText(consumer.name, `${field}.name`),
  ...requiredText(consumer.uid, `${field}.uid`),
];

/** Only what is allocated can be reserved, and nothing more of what is about to go. */
function reservationErrors({ metadata, status }: ResourceClaim, old: ResourceClaim): FieldError[] {
  const field = "status.reservedFor";
  const consumers = status?.reservedFor ?? [];
  if (consumers.length === 0) return [];
  if (!status?.allocation)
    return [fieldError.forbidden(field, "may not be specified when `allocated` is not set")];
  if (!metadata?.deletionTimestamp) return [];
  const known = new Set((old.status?.reservedFor ?? []).map(({ uid }) => uid));
  if (consumers.every(({ uid }) => known.has(uid))) return [];
  const text = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return [fieldError.forbidden(field, text)];
}

function allocationErrors(
  { devices, nodeSelector }: AllocationResult,
  known: ReadonlySet<string>,
): FieldError[] {
  const field = "status.allocation";
  return [
    ...validateList(devices?.results, mostOfEach, `${field}.devices.results`, (result, at) =>
      resultErrors(result, known, at),
    ),
    ...validateList(devices?.config, 2 * mostOfEach, `${field}.devices.config`, (config, at) =>
      configurationErrors(config, known, at),
    ),
    ...(nodeSelector
      ? validateNodeTerms(nodeSelector.nodeSelectorTerms ?? [], `${field}.nodeSelector.nodeSelectorTerms`)
      : []),
  ];
}

const resultErrors = (
  result: DeviceRequestAllocationResult,
  known: ReadonlySet<string>,
  field: string,
): FieldError[] => [
  ...validateRequestName(result.request, known, `${field}.request`),
  ...validateDriverName(result.driver, `${field}.driver`),
  ...validatePoolName(result.pool, `${field}.pool`),
  ...validateLabelName(result.device, `${field}.device`),
  ...validateBindingConditions(result, field),
  ...(result.shareID === undefined ? [] : validateUid(result.shareID, `${field}.shareID`)),
];

const configurationErrors = (
  config: DeviceAllocationConfiguration,
  known: ReadonlySet<string>,
  field: string,
): FieldError[] => [
  ...oneOf(config.source, ["FromClaim", "FromClass"], `${field}.source`),
  ...validateRequestNames(config.requests, known, `${field}.requests`),
  ...validateDeviceConfiguration(config, field),
];

function deviceErrors(
  device: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const { conditions, data, networkData, shareID } = device;
  const key = deviceKey(device);
  const shown = {
    Driver: device.driver,
    Pool: device.pool,
    Device: device.device,
    ShareID: shareID ?? "",
  };
  const count = (conditions ?? []).length;
  return [
    ...validateDriverName(device.driver, `${field}.driver`),
    ...validatePoolName(device.pool, `${field}.pool`),
    ...validateLabelName(device.device, `${field}.device`),
    ...(shareID === undefined ? [] : validateUid(shareID, `${field}.shareID`)),
    ...(allocated.has(key)
      ? []
      : [fieldError.invalid(field, shown, "must be an allocated device in the claim")]),
    ...(count > mostConditions ? [fieldError.tooMany(`${field}.conditions`, count, mostConditions)] : []),
    ...validateConditions(conditions ?? [], `${field}.conditions`),
    ...(data === undefined || data === null ? [] : validateRawObject(data, `${field}.data`)),
    ...(networkData ? networkErrors(networkData, `${field}.networkData`) : []),
  ];
}

const networkErrors = (
  { interfaceName = "", hardwareAddress = "", ips }: NetworkDeviceData,
  field: string,
): FieldError[] => [
  ...(interfaceName.length > longestInterface
    ? [fieldError.tooLong(`${field}.interfaceName`, longestInterface)]
    : []),
  ...(hardwareAddress.length > longestHardwareAddress
    ? [fieldError.tooLong(`${field}.hardwareAddress`, longestHardwareAddress)]
    : []),
  ...validateSet(ips, mostAddresses, `${field}.ips`, interfaceAddressErrors, (ip) => ip),
];

/** An address together with the length of its network, as interfaces have it. */
function interfaceAddressErrors(text: string, field: string): FieldError[] {
  const range = parseRange(text);
  if (!range) {
    return [
      fieldError.invalid(
        field,
        text,
        "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)",
      ),
    ];
  }
  const canonical = `${formatAddress(range.address)}/${range.bits}`;
  return canonical === text
    ? []
    : [fieldError.invalid(field, text, `must be in canonical form ("${canonical}")`)];
}
