// Versions of built-in kinds that kube-apiserver still knows the types of, though it serves them no more (or not by default): a body in
// one of them is of the wrong version, not of an unknown kind.
import { apiVersionOf, type GroupVersionKind } from "@kubewright/api";

const kinds: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "admissionregistration.k8s.io/v1alpha1": [
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
    ],
    "admissionregistration.k8s.io/v1beta1": [
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "MutatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
    ],
    "apps/v1beta1": ["ControllerRevision", "Deployment", "StatefulSet"],
    "apps/v1beta2": ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
    "authentication.k8s.io/v1alpha1": ["SelfSubjectReview"],
    "authentication.k8s.io/v1beta1": ["SelfSubjectReview", "TokenReview"],
    "authorization.k8s.io/v1beta1": [
      "LocalSubjectAccessReview",
      "SelfSubjectAccessReview",
      "SelfSubjectRulesReview",
      "SubjectAccessReview",
    ],
    "batch/v1beta1": ["CronJob"],
    "certificates.k8s.io/v1beta1": ["CertificateSigningRequest"],
    "coordination.k8s.io/v1beta1": ["Lease"],
    "discovery.k8s.io/v1beta1": ["EndpointSlice"],
    "events.k8s.io/v1beta1": ["Event"],
    "extensions/v1beta1": ["DaemonSet", "Deployment", "Ingress", "NetworkPolicy", "ReplicaSet"],
    "flowcontrol.apiserver.k8s.io/v1beta1": ["FlowSchema", "PriorityLevelConfiguration"],
    "flowcontrol.apiserver.k8s.io/v1beta2": ["FlowSchema", "PriorityLevelConfiguration"],
    "flowcontrol.apiserver.k8s.io/v1beta3": ["FlowSchema", "PriorityLevelConfiguration"],
    "networking.k8s.io/v1beta1": ["IPAddress", "Ingress", "IngressClass", "ServiceCIDR"],
    "node.k8s.io/v1alpha1": ["RuntimeClass"],
    "node.k8s.io/v1beta1": ["RuntimeClass"],
    "policy/v1beta1": ["Eviction", "PodDisruptionBudget"],
    "rbac.authorization.k8s.io/v1alpha1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "rbac.authorization.k8s.io/v1beta1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "resource.k8s.io/v1beta1": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    "resource.k8s.io/v1beta2": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    "scheduling.k8s.io/v1beta1": ["PriorityClass"],
    "storage.k8s.io/v1alpha1": ["CSIStorageCapacity", "VolumeAttachment", "VolumeAttributesClass"],
    "storage.k8s.io/v1beta1": [
      "CSIDriver",
      "CSINode",
      "CSIStorageCapacity",
      "StorageClass",
      "VolumeAttachment",
      "VolumeAttributesClass",
    ],
  }),
);

/** Whether kube-apiserver knows the kind in a version that is not served. */
export const isUnservedKind = (gvk: GroupVersionKind): boolean =>
  kinds.get(apiVersionOf(gvk))?.includes(gvk.kind) === true;
