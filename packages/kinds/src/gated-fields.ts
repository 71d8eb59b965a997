// Fields behind feature gates. The published schemas name fields of disabled gates too: values of a client there are dropped
// before validation, unless the stored object has them already.
import type {
  CronJob,
  CSIDriver,
  Deployment,
  Device,
  Draft,
  Node,
  Pod,
  PodTemplate,
  ResourceSlice,
  StatefulSet,
} from "@kubewright/api";
import type { BuiltInKind } from "./built-in-kind.js";
import type { FeatureGate } from "./feature-gates.js";
import type { DraftObject, StoredObject } from "./objects.js";
import { draftAs, storedAs } from "./objects.js";
import { dropGatedPodFields, dropGatedPodStatus } from "./pod/gated-pod-fields.js";
import type { Strategy } from "./strategy.js";

type Drop = (object: DraftObject, old: StoredObject | undefined) => void;

/** Every workload but cron jobs has its template in the same place. */
const ofTemplate: Drop = (object, old) =>
  dropGatedPodFields(
    draftAs<Deployment>(object).spec?.template?.spec,
    old && storedAs<Deployment>(old).spec?.template?.spec,
  );

const drops: Readonly<Record<string, Drop>> = {
  pods: (object, old) => dropGatedPodFields(draftAs<Pod>(object).spec, old && storedAs<Pod>(old).spec),
  podtemplates: (object, old) =>
    dropGatedPodFields(
      draftAs<PodTemplate>(object).template?.spec,
      old && storedAs<PodTemplate>(old).template?.spec,
    ),
  replicationcontrollers: ofTemplate,
  nodes: ofNode,
  "deployments.apps": ofTemplate,
  "replicasets.apps": ofTemplate,
  "daemonsets.apps": ofTemplate,
  "statefulsets.apps": ofTemplate,
  "jobs.batch": ofTemplate,
  "cronjobs.batch": (object, old) =>
    dropGatedPodFields(
      draftAs<CronJob>(object).spec?.jobTemplate?.spec?.template?.spec,
      old && storedAs<CronJob>(old).spec?.jobTemplate?.spec?.template?.spec,
    ),
  "csidrivers.storage.k8s.io": ofDriver,
  "resourceslices.resource.k8s.io": ofSlice,
};

/** A gate that can be opened: what is dropped while it is closed, and what is completed once it is open. */
interface Gate {
  readonly name: FeatureGate;
  readonly drop: Drop;
  readonly applyDefaults: (object: DraftObject) => void;
}

const gates: Readonly<Record<string, Gate>> = {
  "statefulsets.apps": {
    name: "MaxUnavailableStatefulSet",
    drop: dropMaxUnavailable,
    applyDefaults(object) {
      const rollingUpdate = draftAs<StatefulSet>(object).spec?.updateStrategy?.rollingUpdate;
      if (rollingUpdate) rollingUpdate.maxUnavailable ??= 1;
    },
  },
};

function dropMaxUnavailable(object: DraftObject, old: StoredObject | undefined): void {
  const rollingUpdate = draftAs<StatefulSet>(object).spec?.updateStrategy?.rollingUpdate;
  const before = old && storedAs<StatefulSet>(old).spec?.updateStrategy?.rollingUpdate;
  if (rollingUpdate && before?.maxUnavailable === undefined) delete rollingUpdate.maxUnavailable;
}

function ofDriver(object: DraftObject, old: StoredObject | undefined): void {
  const before = old && storedAs<CSIDriver>(old).spec;
  if (before?.preventPodSchedulingIfMissing === undefined)
    delete draftAs<CSIDriver>(object).spec?.preventPodSchedulingIfMissing;
}

/** Configuration by reference was tried and taken back. */
function ofNode(object: DraftObject, old: StoredObject | undefined): void {
  if (!(old && storedAs<Node>(old).spec?.configSource)) delete draftAs<Node>(object).spec?.configSource;
}

const lists = ["bools", "ints", "strings", "versions"] as const;

function ofSlice(object: DraftObject, old: StoredObject | undefined): void {
  const before: readonly Device[] = (old && storedAs<ResourceSlice>(old).spec.devices) ?? [];
  const keepsLists = before.some(({ attributes }) =>
    Object.values(attributes ?? {}).some((attribute) => lists.some((list) => attribute[list])),
  );
  const keepsMappings = before.some(({ nodeAllocatableResourceMappings }) => nodeAllocatableResourceMappings);
  for (const device of draftAs<ResourceSlice>(object).spec?.devices ?? []) {
    if (!keepsMappings) delete device.nodeAllocatableResourceMappings;
    if (!keepsLists) dropLists(device);
  }
}

function dropLists({ attributes }: Draft<Device>): void {
  for (const attribute of Object.values(attributes ?? {})) for (const list of lists) delete attribute[list];
}

/** A kind whose writes pass the gates before its own rules see them. */
export function behindGates(kind: BuiltInKind, open: readonly FeatureGate[]): BuiltInKind {
  const gate = Object.hasOwn(gates, kind.resource) ? gates[kind.resource] : undefined;
  const isOpen = gate !== undefined && open.includes(gate.name);
  const always = Object.hasOwn(drops, kind.resource) ? drops[kind.resource] : undefined;
  if (!always) return kind;
  const drop: Drop = (object, old) => {
    always(object, old);
    if (!isOpen) gate?.drop(object, old);
  };
  const { strategy = {}, status } = kind;
  return {
    ...kind,
    strategy: {
      ...strategy,
      ...(isOpen ? withDefaults(strategy, gate.applyDefaults) : {}),
      prepareForCreate(object, context) {
        drop(object, undefined);
        strategy.prepareForCreate?.(object, context);
      },
      prepareForUpdate(object, old, context) {
        drop(object, old);
        strategy.prepareForUpdate?.(object, old, context);
      },
    },
    ...(kind.resource === "pods" ? { status: gatedReports(status ?? {}) } : {}),
  };
}

/** The defaults of a kind, and what an open gate adds to them. */
function withDefaults(strategy: Strategy, more: (object: DraftObject) => void): Partial<Strategy> {
  return {
    applyDefaults(object) {
      strategy.applyDefaults?.(object);
      more(object);
    },
  };
}

const gatedReports = (status: Partial<Strategy>): Partial<Strategy> => ({
  ...status,
  prepareForUpdate(object, old, context) {
    dropGatedPodStatus(draftAs<Pod>(object).status, storedAs<Pod>(old).status);
    status.prepareForUpdate?.(object, old, context);
  },
});
