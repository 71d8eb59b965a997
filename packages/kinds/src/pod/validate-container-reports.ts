// Validates what a kubelet reports about containers: the user, and the health of their devices.
import {
  type Container,
  type ContainerStatus,
  type FieldError,
  fieldError,
  type PodSpec,
  type PodStatus,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOfIfSet } from "../field-rules.js";
import { firstByName } from "../first-by-name.js";
import { validateId } from "./validate-security-context.js";

const healths = ["Healthy", "Unhealthy", "Unknown"];
const longestMessage = 1024;

/** Users first, then devices, as the server lists them. */
export function validateContainerReports(status: PodStatus, spec: PodSpec): FieldError[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const lists = [
    ["status.containerStatuses", containerStatuses],
    ["status.initContainerStatuses", initContainerStatuses],
    ["status.ephemeralContainerStatuses", ephemeralContainerStatuses],
  ] as const;
  const onWindows = spec.os?.name === "windows";
  return [
    ...lists.flatMap(([field, reports]) => userErrors(reports, onWindows, field)),
    ...deviceErrors(containerStatuses, spec.containers ?? [], "status.containerStatuses"),
    ...deviceErrors(initContainerStatuses, spec.initContainers ?? [], "status.initContainerStatuses"),
    ...checkEach(ephemeralContainerStatuses, ({ allocatedResourcesStatus = [] }, index) =>
      allocatedResourcesStatus.length === 0
        ? []
        : [
            fieldError.forbidden(
              `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`,
              "must not be specified in container status",
            ),
          ],
    ),
  ];
}

const userErrors = (reports: readonly ContainerStatus[], onWindows: boolean, field: string): FieldError[] =>
  checkEach(reports, ({ user }, index) => {
    const linux = user?.linux;
    if (!linux) return [];
    const at = `${field}[${index}].user.linux`;
    if (onWindows) return [fieldError.forbidden(at, "cannot be set for a windows pod")];
    return [
      ...validateId(linux.uid, `${at}.uid`),
      ...validateId(linux.gid, `${at}.gid`),
      ...checkEach(linux.supplementalGroups ?? [], (group, place) =>
        validateId(group, `${at}.supplementalGroups[${place}]`),
      ),
    ];
  });

type Allocated = NonNullable<ContainerStatus["allocatedResourcesStatus"]>[number];

const deviceErrors = (
  reports: readonly ContainerStatus[],
  containers: readonly Container[],
  field: string,
): FieldError[] => {
  const named = firstByName(containers);
  return checkEach(reports, ({ name, allocatedResourcesStatus = [] }, index) => {
    const container = named.get(name);
    const claims = claimsOf(container);
    return checkEach(allocatedResourcesStatus, (allocated, place) => {
      const at = `${field}[${index}].allocatedResourcesStatus[${place}]`;
      return [
        ...(container ? resourceNameErrors(allocated.name, container, claims, `${at}.name`) : []),
        ...healthErrors(allocated, `${at}.resources`),
      ];
    });
  });
};

const claimsOf = (container: Container | undefined): ReadonlySet<string> =>
  new Set(
    (container?.resources?.claims ?? []).map(
      (claim) => `claim:${claim.name}${claim.request ? `/${claim.request}` : ""}`,
    ),
  );

function resourceNameErrors(
  name: string,
  { resources }: Container,
  claims: ReadonlySet<string>,
  field: string,
): FieldError[] {
  if (!name.startsWith("claim:")) {
    const text = "must match one of the container's resource requests";
    return Object.hasOwn(resources?.requests ?? {}, name) ? [] : [fieldError.invalid(field, name, text)];
  }
  const text =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return claims.has(name) ? [] : [fieldError.invalid(field, name, text)];
}

function healthErrors({ resources = [] }: Allocated, field: string): FieldError[] {
  const seen = new Set<string>();
  return checkEach(resources, ({ health = "", message, resourceID }, index) => {
    const at = `${field}[${index}]`;
    const errors = oneOfIfSet(health, healths, `${at}.health`);
    if (message === "") errors.push(fieldError.required(`${at}.message`, "must be non-empty if specified"));
    else if ((message ?? "").length > longestMessage)
      errors.push(fieldError.tooLong(`${at}.message`, longestMessage));
    if (seen.has(resourceID)) errors.push(fieldError.duplicate(`${at}.resourceID`, resourceID));
    seen.add(resourceID);
    return errors;
  });
}

/** The claim made for extended resources, and which requests of it stand for which. */
export function validateExtendedClaim(
  claim: PodStatus["extendedResourceClaimStatus"],
  spec: PodSpec,
): FieldError[] {
  if (!claim) return [];
  const field = "status.extendedResourceClaimStatus";
  const mappings = claim.requestMappings ?? [];
  const errors: FieldError[] = [];
  if (mappings.length === 0)
    errors.push(fieldError.required(`${field}.requestMappings`, "at least one request mapping is required"));
  const seen = new Set<string>();
  mappings.forEach((mapping, index) => {
    const at = `${field}.requestMappings[${index}]`;
    errors.push(...mappingErrors(mapping, spec, at));
    // The server names the request without its place in the list.
    const { containerName, resourceName, requestName } = mapping;
    errors.push(...invalidBecause(validateDns1123Label(requestName), requestName, `${field}.requestName`));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      for (const name of ["containerName", "resourceName", "requestName"] as const)
        errors.push(fieldError.duplicate(`${at}.${name}`, mapping[name]));
    }
    seen.add(key);
  });
  const name = claim.resourceClaimName;
  const at = `${field}.resourceClaimName`;
  return [
    ...errors,
    ...(name ? invalidBecause(validateDns1123Subdomain(name), name, at) : [fieldError.required(at)]),
  ];
}

type Mapping = NonNullable<PodStatus["extendedResourceClaimStatus"]>["requestMappings"][number];

function mappingErrors({ containerName, resourceName }: Mapping, spec: PodSpec, field: string): FieldError[] {
  const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find(
    ({ name }) => name === containerName,
  );
  if (!container) {
    const text = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
    return [fieldError.invalid(`${field}.containerName`, containerName, text)];
  }
  const text =
    "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
  return Object.hasOwn(container.resources?.requests ?? {}, resourceName)
    ? []
    : [fieldError.invalid(`${field}.resourceName`, resourceName, text)];
}
