// Dynamic resource allocation.
import { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";

const deviceClass = definePrinter(DeviceClass, [nameColumn, ageColumn], ({ metadata }, { age }) => [
  metadata?.name ?? "",
  age(metadata?.creationTimestamp),
]);

const claim = definePrinter(
  ResourceClaim,
  [
    nameColumn,
    column("State", {
      description: "A summary of the current state (allocated, pending, reserved, etc.).",
    }),
    ageColumn,
  ],
  (object, { age }) => [
    object.metadata?.name ?? "",
    claimState(object),
    age(object.metadata?.creationTimestamp),
  ],
);

function claimState({ metadata, status }: ResourceClaim): string {
  const states = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) {
    states.push("allocated");
    if ((status.reservedFor ?? []).length > 0) states.push("reserved");
  } else if (states.length === 0) states.push("pending");
  return states.join(",");
}

const claimTemplate = definePrinter(
  ResourceClaimTemplate,
  [nameColumn, ageColumn],
  ({ metadata }, { age }) => [metadata?.name ?? "", age(metadata?.creationTimestamp)],
);

const slice = definePrinter(
  ResourceSlice,
  [
    nameColumn,
    column("Node", { of: "ResourceSliceSpec.nodeName" }),
    column("Driver", { of: "ResourceSliceSpec.driver" }),
    column("Pool", { of: "ResourcePool.name" }),
    ageColumn,
  ],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.nodeName ?? "",
    spec?.driver ?? "",
    spec?.pool?.name ?? "",
    age(metadata?.creationTimestamp),
  ],
);

export const devicePrinters: readonly TablePrinter[] = [deviceClass, claim, claimTemplate, slice];
