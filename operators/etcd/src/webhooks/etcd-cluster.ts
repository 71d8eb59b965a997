// Validation of an EtcdCluster beyond its schema: an odd number of members, a version the present one may become, a schedule that can be read.
import { type FieldError, fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { ScheduleError, Schedules, zoneNameProblem } from "@kubewright/runtime/schedule";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { versionChange } from "../cluster/version-path.js";

const schedules = new Schedules();

export const etcdClusterWebhook = defineWebhook(EtcdCluster, {
  validate: (cluster, { oldObject }) => [
    ...sizeErrors(cluster, oldObject),
    ...versionErrors(cluster, oldObject),
    ...scheduleErrors(cluster),
  ],
});

/** Only a number that changes is checked: an even one that came through the scale subresource must not stand in the way of the rest. */
function sizeErrors({ spec }: EtcdCluster, old: EtcdCluster | undefined): readonly FieldError[] {
  const { replicas } = spec;
  if (replicas % 2 === 1 || replicas === old?.spec.replicas) return [];
  const message = `must be odd: ${replicas} members survive no more failures than ${replicas - 1}, and need more of them to agree`;
  return [fieldError.invalid("spec.replicas", replicas, message)];
}

function versionErrors({ spec }: EtcdCluster, old: EtcdCluster | undefined): readonly FieldError[] {
  const present = old?.status?.currentVersion;
  if (present === undefined || spec.version === old?.spec.version) return [];
  const change = versionChange(present, spec.version);
  return change.kind === "refused" ? [fieldError.invalid("spec.version", spec.version, change.message)] : [];
}

function scheduleErrors({ spec }: EtcdCluster): readonly FieldError[] {
  if (!spec.backup) return [];
  const { schedule, timeZone } = spec.backup;
  const zone = timeZone === undefined ? undefined : zoneNameProblem(timeZone);
  if (zone !== undefined) return [fieldError.invalid("spec.backup.timeZone", timeZone, zone)];
  try {
    schedules.parse(schedule, { timeZone, anchor: 0 });
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [fieldError.invalid("spec.backup.schedule", schedule, error.message)];
  }
}
