// CSIDrivers: what a storage driver needs of the cluster.
import { type CSIDriver, type CSIDriverSpec, deepEqual, type FieldError, fieldError } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { repeated } from "../repeated.js";
import { bumpGeneration } from "../status-strategy.js";

const policies = ["File", "None", "ReadWriteOnceWithFSType"];
const modes = ["Persistent", "Ephemeral"];
const shortestToken = 600;
const longestToken = 2 ** 32;
const shortestPeriod = 10;

export const csiDrivers: BuiltInKind = {
  resource: "csidrivers.storage.k8s.io",
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    applyDefaults(object) {
      const driver = draftAs<CSIDriver>(object);
      driver.spec ??= {};
      const { spec } = driver;
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
      if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    },
    prepareForUpdate(object, old) {
      if (!deepEqual(object["spec"], old["spec"])) bumpGeneration(object, old);
    },
    warnings: (object, old) =>
      tokenWarnings(draftAs<CSIDriver>(object).spec, old && storedAs<CSIDriver>(old).spec),
    validateCreate: (object) => specErrors(draftAs<CSIDriver>(object).spec),
    validateUpdate(object, old) {
      const driver = draftAs<CSIDriver>(object);
      const before = storedAs<CSIDriver>(old).spec;
      return [
        ...specErrors(driver.spec),
        ...immutable(driver.spec.attachRequired, before.attachRequired, "spec.attachedRequired"),
        ...immutable(
          driver.spec.volumeLifecycleModes,
          before.volumeLifecycleModes,
          "spec.volumeLifecycleModes",
        ),
      ];
    },
  },
};

/** Tokens among the attributes of a volume end up in logs. */
function tokenWarnings(now: CSIDriverSpec, before: CSIDriverSpec | undefined): string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = now;
  if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
  if (before && deepEqual(before.tokenRequests, tokenRequests)) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}

function specErrors(spec: CSIDriverSpec): FieldError[] {
  const { fsGroupPolicy, volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  return [
    ...(fsGroupPolicy === undefined || policies.includes(fsGroupPolicy)
      ? []
      : [fieldError.notSupported("spec.fsGroupPolicy", fsGroupPolicy, policies)]),
    ...tokenErrors(spec),
    ...volumeLifecycleModes
      .filter((mode) => !modes.includes(mode))
      .map((mode) => fieldError.notSupported("spec.volumeLifecycleModes", mode, modes)),
    ...(period !== undefined && period < shortestPeriod
      ? [
          fieldError.invalid(
            "spec.nodeAllocatableUpdatePeriodSeconds",
            period,
            `must be greater than or equal to ${shortestPeriod} seconds`,
          ),
        ]
      : []),
    ...(spec.serviceAccountTokenInSecrets !== undefined && (spec.tokenRequests ?? []).length === 0
      ? [
          fieldError.invalid(
            "spec.serviceAccountTokenInSecrets",
            spec.serviceAccountTokenInSecrets,
            "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
          ),
        ]
      : []),
  ];
}

function tokenErrors({ tokenRequests = [] }: CSIDriverSpec): FieldError[] {
  const twice = repeated(tokenRequests.map(({ audience }) => audience));
  return tokenRequests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const field = `spec.tokenRequests[${index}]`;
    if (twice.has(index)) return [fieldError.duplicate(`${field}.audience`, audience)];
    if (seconds === undefined) return [];
    const at = `${field}.expirationSeconds`;
    if (seconds < shortestToken)
      return [fieldError.invalid(at, seconds, "may not specify a duration less than 10 minutes")];
    return seconds > longestToken
      ? [fieldError.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds")]
      : [];
  });
}
