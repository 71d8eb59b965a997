// Validation of an EtcdCluster beyond its schema: an odd number of members and a version the present one may become.
import { type FieldError, fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { versionChange } from "../cluster/version-path.js";

export const etcdClusterWebhook = defineWebhook(EtcdCluster, {
  validate: (cluster, { oldObject }) => [
    ...sizeErrors(cluster, oldObject),
    ...versionErrors(cluster, oldObject),
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
