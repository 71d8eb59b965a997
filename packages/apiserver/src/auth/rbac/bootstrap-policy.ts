// The roles and bindings every cluster starts with, as Kubernetes 1.36 has them with its default features.
//
// A line at the margin names a role; `-> x` says that the aggregated role x takes it in, `<- subjects` who is bound to
// it (nobody, if none follows). Indented lines are its rules: verbs, groups, resources and perhaps names; or verbs and
// paths. Words stand in the order Kubernetes keeps them; `core` is the group without a name, and the verbs `read`,
// `write`, `readWrite`, `readUpdate` and the rule `events` are spelled out by `policy-reader.ts`.

/** ClusterRoles for people, nodes and the parts of the control plane. */
export const clusterPolicy = `
admin
cluster-admin <- Group:system:masters
  * | * | *
  * | *
edit -> admin
system:aggregate-to-admin -> admin
  create | authorization.k8s.io | localsubjectaccessreviews
  readWrite | rbac.authorization.k8s.io | rolebindings roles
system:aggregate-to-edit -> edit
  read | core | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
  impersonate | core | serviceaccounts
  write | core | pods pods/attach pods/exec pods/portforward pods/proxy
  create | core | pods/eviction
  write | core | configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy
  create | core | serviceaccounts/token
  write | core events.k8s.io | events
  write | apps | daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale
  write | autoscaling | horizontalpodautoscalers
  write | batch | cronjobs jobs
  write | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale
  write | policy | poddisruptionbudgets
  write | networking.k8s.io | ingresses networkpolicies
  readWrite | coordination.k8s.io | leases
  write | resource.k8s.io | resourceclaims resourceclaimtemplates
system:aggregate-to-view -> view
  read | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status
  read | core | bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status
  read | core | namespaces
  read | core events.k8s.io | events
  read | discovery.k8s.io | endpointslices
  read | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status
  read | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status
  read | batch | cronjobs cronjobs/status jobs jobs/status
  read | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale
  read | policy | poddisruptionbudgets poddisruptionbudgets/status
  read | networking.k8s.io | ingresses ingresses/status networkpolicies
  read | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates
system:auth-delegator
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
system:basic-user <- Group:system:authenticated
  create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews
  create | authentication.k8s.io | selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create | certificates.k8s.io | certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create | certificates.k8s.io | certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve | certificates.k8s.io | signers | kubernetes.io/legacy-unknown
system:discovery <- Group:system:authenticated
  get | /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
system:heapster
  read | core | events namespaces nodes pods
  read | extensions | deployments
system:kube-aggregator
  read | core | endpoints services
system:kube-controller-manager <- User:system:kube-controller-manager
  events
  create | coordination.k8s.io | leases
  get update | coordination.k8s.io | leases | kube-controller-manager
  create | core | secrets serviceaccounts
  delete | core | secrets
  get | core | configmaps namespaces secrets serviceaccounts
  update | core | secrets serviceaccounts
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  list watch | * | *
  create | core | serviceaccounts/token
system:kube-dns <- ServiceAccount:kube-system/kube-dns
  list watch | core | endpoints services
system:kube-scheduler <- User:system:kube-scheduler
  events
  create | coordination.k8s.io | leases
  get list update watch | coordination.k8s.io | leases | kube-scheduler
  readWrite | coordination.k8s.io | leasecandidates
  read | core | nodes
  delete get list watch | core | pods
  create | core | bindings pods/binding
  patch update | core | pods/status
  read | core | replicationcontrollers services
  read | apps extensions | replicasets
  read | apps | statefulsets
  read | policy | poddisruptionbudgets
  read | core | persistentvolumeclaims persistentvolumes
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  read | storage.k8s.io | csinodes
  read | storage.k8s.io | volumeattachments
  read | core | namespaces
  read | storage.k8s.io | csidrivers
  read | storage.k8s.io | csistoragecapacities
  read | resource.k8s.io | deviceclasses
  readUpdate | resource.k8s.io | resourceclaims
  readUpdate | resource.k8s.io | resourceclaims/status
  update | core | pods/finalizers
  read | resource.k8s.io | resourceslices
  create delete | resource.k8s.io | resourceclaims
  patch update | resource.k8s.io | resourceclaims/binding
system:kubelet-api-admin
  read | core | nodes
  proxy | core | nodes
  * | core | nodes/log nodes/metrics nodes/proxy nodes/stats
  * | core | nodes/configz nodes/healthz nodes/pods
system:monitoring <- Group:system:monitoring
  get | /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz
  get | core | nodes/metrics
system:node <-
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | localsubjectaccessreviews subjectaccessreviews
  read | core | services
  create get list watch | core | nodes
  patch update | core | nodes/status
  patch update | core | nodes
  events
  read | core | pods
  create delete | core | pods
  patch update | core | pods/status
  create | core | pods/eviction
  read | core | configmaps secrets
  get | core | persistentvolumeclaims persistentvolumes
  get | core | endpoints
  create get list watch | certificates.k8s.io | certificatesigningrequests
  create delete get patch update | coordination.k8s.io | leases
  get | storage.k8s.io | volumeattachments
  create | core | serviceaccounts/token
  get patch update | core | persistentvolumeclaims/status
  read | storage.k8s.io | csidrivers
  create delete get patch update | storage.k8s.io | csinodes
  read | node.k8s.io | runtimeclasses
  get | resource.k8s.io | resourceclaims
  deletecollection | resource.k8s.io | resourceslices
  get | core | serviceaccounts
system:node-bootstrapper
  create get list watch | certificates.k8s.io | certificatesigningrequests
system:node-problem-detector
  get | core | nodes
  patch | core | nodes/status
  events
system:node-proxier <- User:system:kube-proxy
  list watch | core | endpoints services
  read | core | nodes
  events
  list watch | networking.k8s.io | servicecidrs
  list watch | discovery.k8s.io | endpointslices
system:persistent-volume-provisioner
  create delete get list watch | core | persistentvolumes
  get list update watch | core | persistentvolumeclaims
  read | storage.k8s.io | storageclasses
  watch | core | events
  events
system:public-info-viewer <- Group:system:authenticated Group:system:unauthenticated
  get | /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery <- Group:system:serviceaccounts
  get | /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/
system:volume-scheduler <- User:system:kube-scheduler
  readUpdate | core | persistentvolumes
  read | storage.k8s.io | storageclasses
  readUpdate | core | persistentvolumeclaims
view -> edit
`;

/** ClusterRoles of the controllers, each bound to the service account of its name in kube-system. */
export const controllerPolicy = `
attachdetach-controller
  list watch | core | persistentvolumeclaims persistentvolumes
  read | core | nodes
  patch update | core | nodes/status
  list watch | core | pods
  events
  create delete get list watch | storage.k8s.io | volumeattachments
  read | storage.k8s.io | csidrivers
  read | storage.k8s.io | csinodes
certificate-controller
  delete get list watch | certificates.k8s.io | certificatesigningrequests
  update | certificates.k8s.io | certificatesigningrequests/approval certificatesigningrequests/status
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
  sign | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown
  create | authorization.k8s.io | subjectaccessreviews
  events
clusterrole-aggregation-controller
  escalate get list patch update watch | rbac.authorization.k8s.io | clusterroles
cronjob-controller
  get list update watch | batch | cronjobs
  create delete get list patch update watch | batch | jobs
  update | batch | cronjobs/status
  update | batch | cronjobs/finalizers
  delete list watch | core | pods
  events
daemon-set-controller
  read | apps extensions | daemonsets
  update | apps extensions | daemonsets/status
  update | apps extensions | daemonsets/finalizers
  list watch | core | nodes
  create delete list patch watch | core | pods
  create | core | pods/binding
  create delete get list patch update watch | apps | controllerrevisions
  events
deployment-controller
  get list update watch | apps extensions | deployments
  update | apps extensions | deployments/status
  update | apps extensions | deployments/finalizers
  create delete get list patch update watch | apps extensions | replicasets
  get list update watch | core | pods
  events
device-taint-eviction-controller
  delete get list watch | core | pods
  patch update | core | pods/status
  read | resource.k8s.io | resourceclaims
  read | resource.k8s.io | resourceslices
  read | resource.k8s.io | deviceclasses
  events
disruption-controller
  read | apps extensions | deployments
  read | apps extensions | replicasets
  read | core | replicationcontrollers
  read | policy | poddisruptionbudgets
  read | apps | statefulsets
  update | policy | poddisruptionbudgets/status
  patch update | core | pods/status
  get | * | */scale
  events
endpoint-controller
  read | core | pods services
  create delete get list update watch | core | endpoints
  create | core | endpoints/restricted
  events
endpointslice-controller
  read | core | nodes pods services
  update | core | services/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
  events
endpointslicemirroring-controller
  read | core | endpoints services
  update | core | services/finalizers
  update | core | endpoints/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
  events
ephemeral-volume-controller
  read | core | pods
  update | core | pods/finalizers
  create get list watch | core | persistentvolumeclaims
  events
expand-controller
  readUpdate | core | persistentvolumes
  patch update | core | persistentvolumeclaims/status
  read | core | persistentvolumeclaims
  events
generic-garbage-collector
  delete get list patch update watch | * | *
  events
horizontal-pod-autoscaler
  read | autoscaling | horizontalpodautoscalers
  update | autoscaling | horizontalpodautoscalers/status
  get update | * | */scale
  list watch | core | pods
  list watch | metrics.k8s.io | pods
  read | custom.metrics.k8s.io | *
  read | external.metrics.k8s.io | *
  events
job-controller
  readUpdate | batch | jobs
  update | batch | jobs/status
  update | batch | jobs/finalizers
  create delete list patch watch | core | pods
  events
legacy-service-account-token-cleaner
  get | core | configmaps | kube-apiserver-legacy-service-account-token-tracking
  delete patch | core | secrets
namespace-controller
  delete get list watch | core | namespaces
  update | core | namespaces/finalize namespaces/status
  delete deletecollection get list watch | * | *
node-controller
  delete get list patch update watch | core | nodes
  patch update | core | nodes/status
  patch update | core | pods/status
  delete get list watch | core | pods
  read | coordination.k8s.io | leases
  events
persistent-volume-binder
  create delete get list update watch | core | persistentvolumes
  update | core | persistentvolumes/status
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  create delete get list watch | core | pods
  read | storage.k8s.io | storageclasses
  list watch | core | nodes
  events
  watch | core | events
pod-garbage-collector
  delete list watch | core | pods
  read | core | nodes
  patch | core | pods/status
pv-protection-controller
  get list update watch | core | persistentvolumes
  events
pvc-protection-controller
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  read | core | pods
  events
replicaset-controller
  get list update watch | apps extensions | replicasets
  update | apps extensions | replicasets/status
  update | apps extensions | replicasets/finalizers
  create delete list patch watch | core | pods
  events
replication-controller
  get list update watch | core | replicationcontrollers
  update | core | replicationcontrollers/status
  update | core | replicationcontrollers/finalizers
  create delete list patch watch | core | pods
  events
resource-claim-controller
  read | core | pods
  update | core | pods/finalizers
  create delete get list watch | resource.k8s.io | resourceclaims
  patch update | resource.k8s.io | resourceclaims resourceclaims/status
  patch update | core | pods/status
  events
  patch update | resource.k8s.io | resourceclaims/binding
resourcequota-controller
  list watch | * | *
  update | core | resourcequotas/status
  events
root-ca-cert-publisher
  create update | core | configmaps
  events
route-controller
  list watch | core | nodes
  patch | core | nodes/status
  events
selinux-warning-controller
  events
  read | core | persistentvolumes
  read | core | persistentvolumeclaims
  read | core | pods
  read | storage.k8s.io | csidrivers
service-account-controller
  create | core | serviceaccounts
  events
service-cidrs-controller
  readUpdate | networking.k8s.io | servicecidrs
  patch update | networking.k8s.io | servicecidrs/finalizers
  patch update | networking.k8s.io | servicecidrs/status
  read | networking.k8s.io | ipaddresses
  events
service-controller
  read | core | services
  patch update | core | services/status
  list watch | core | nodes
  events
statefulset-controller
  list watch | core | pods
  read | apps | statefulsets
  update | apps | statefulsets/status
  update | apps | statefulsets/finalizers
  create delete get patch update | core | pods
  create delete get list patch update watch | apps | controllerrevisions
  create get list watch | core | persistentvolumeclaims
  delete update | core | persistentvolumeclaims
  update | core | pods/finalizers
  events
ttl-after-finished-controller
  delete get list watch | batch | jobs
  events
ttl-controller
  list patch update watch | core | nodes
  events
validatingadmissionpolicy-status-controller
  read | admissionregistration.k8s.io | validatingadmissionpolicies
  get patch update | admissionregistration.k8s.io | validatingadmissionpolicies/status
  events
volumeattributesclass-protection-controller
  read | core | persistentvolumeclaims
  read | core | persistentvolumes
  get list update watch | storage.k8s.io | volumeattributesclasses
  events
`;

/** Roles in namespaces of the system. */
export const namespacedPolicy = `
kube-public/system:controller:bootstrap-signer <- ServiceAccount:kube-system/bootstrap-signer
  read | core | configmaps
  update | core | configmaps | cluster-info
  events
kube-system/extension-apiserver-authentication-reader <- User:system:kube-controller-manager User:system:kube-scheduler
  read | core | configmaps | extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager <- User:system:kube-controller-manager ServiceAccount:kube-system/kube-controller-manager
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system::leader-locking-kube-scheduler <- User:system:kube-scheduler ServiceAccount:kube-system/kube-scheduler
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system:controller:bootstrap-signer <- ServiceAccount:kube-system/bootstrap-signer
  read | core | secrets
kube-system/system:controller:cloud-provider <- ServiceAccount:kube-system/cloud-provider
  create get list watch | core | configmaps
kube-system/system:controller:token-cleaner <- ServiceAccount:kube-system/token-cleaner
  delete get list watch | core | secrets
  events
`;
