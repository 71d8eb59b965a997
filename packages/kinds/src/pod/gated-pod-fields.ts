// Fields of pods behind feature gates that are disabled by default: new pods and templates lose
// them without a word, those that have them from other days keep them.
import type { Container, Draft, PodSpec, PodStatus, Volume } from "@kubewright/api";

/** Takes from a spec what only alpha features know; `before` is what was stored, if anything was. */
export function dropGatedPodFields(spec: Draft<PodSpec> | undefined, before: PodSpec | undefined): void {
  if (!spec) return;
  if (!before?.schedulingGroup) delete spec.schedulingGroup;
  if (!containersOf(before).some(({ lifecycle }) => lifecycle?.stopSignal)) dropStopSignals(spec);
  for (const source of ["clusterTrustBundle", "podCertificate"] as const) {
    if (!sourcesOf(before?.volumes).some((known) => known[source])) {
      for (const known of sourcesOf(spec.volumes)) delete known[source];
    }
  }
}

/** A lifecycle that says nothing else goes with it. */
function dropStopSignals(spec: Draft<PodSpec>): void {
  for (const container of containersOf(spec)) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}

type WithLifecycle = Pick<Container, "lifecycle">;

function containersOf(spec: Draft<PodSpec> | undefined): Draft<WithLifecycle>[];
function containersOf(spec: PodSpec | undefined): readonly WithLifecycle[];
function containersOf(spec: PodSpec | undefined): readonly WithLifecycle[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

type Sources = NonNullable<NonNullable<Volume["projected"]>["sources"]>;

function sourcesOf(volumes: Draft<Volume>[] | undefined): Draft<Sources>;
function sourcesOf(volumes: readonly Volume[] | undefined): Sources;
function sourcesOf(volumes: readonly Volume[] | undefined): Sources {
  const sources: Sources[number][] = [];
  for (const { projected } of volumes ?? [])
    for (const source of projected?.sources ?? []) sources.push(source);
  return sources;
}

/** The same for what is reported about a pod. */
export function dropGatedPodStatus(
  status: Draft<PodStatus> | undefined,
  before: PodStatus | undefined,
): void {
  if (!status) return;
  if (!before?.nodeAllocatableResourceClaimStatuses) delete status.nodeAllocatableResourceClaimStatuses;
  const known = reportsOf(before);
  const keepsVolumes = known.some(({ volumeMounts }) =>
    volumeMounts?.some(({ volumeStatus }) => volumeStatus),
  );
  for (const report of reportsOf(status)) {
    if (!keepsVolumes) for (const mount of report.volumeMounts ?? []) delete mount.volumeStatus;
  }
}

type Reports = NonNullable<PodStatus["containerStatuses"]>;

function reportsOf(status: Draft<PodStatus> | undefined): Draft<Reports>;
function reportsOf(status: PodStatus | undefined): Reports;
function reportsOf(status: PodStatus | undefined): Reports {
  return [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
}
