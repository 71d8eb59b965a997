// Fields of the server's own types for pods and volumes, in the order and with the names its failures print them. Types that are not
// listed here have theirs in alphabetical order; they hardly ever show up.

/** By the name of the type in core/v1. Each name is that of the field in the API but for its case. */
export const goFields: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    PodSpec:
      "Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup",
    PodSecurityContext:
      "HostNetwork HostPID HostIPC ShareProcessNamespace HostUsers SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy",
    Container:
      "Name Image Command Args WorkingDir Ports EnvFrom Env Resources ResizePolicy RestartPolicy RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe StartupProbe Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext Stdin StdinOnce TTY",
    EphemeralContainer:
      "Name Image Command Args WorkingDir Ports EnvFrom Env Resources ResizePolicy RestartPolicy RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe StartupProbe Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext Stdin StdinOnce TTY TargetContainerName",
    SecurityContext:
      "Capabilities Privileged SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile AppArmorProfile",
    SELinuxOptions: "User Role Type Level",
    SeccompProfile: "Type LocalhostProfile",
    AppArmorProfile: "Type LocalhostProfile",
    WindowsSecurityContextOptions: "GMSACredentialSpecName GMSACredentialSpec RunAsUserName HostProcess",
    ContainerPort: "Name HostPort ContainerPort Protocol HostIP",
    EnvVar: "Name Value ValueFrom",
    EnvVarSource: "FieldRef ResourceFieldRef ConfigMapKeyRef SecretKeyRef FileKeyRef",
    EnvFromSource: "Prefix ConfigMapRef SecretRef",
    ObjectFieldSelector: "APIVersion FieldPath",
    ConfigMapKeySelector: "Name Key Optional",
    SecretKeySelector: "Name Key Optional",
    FileKeySelector: "VolumeName Path Key Optional",
    ResourceFieldSelector: "ContainerName Resource Divisor",
    ResourceRequirements: "Limits Requests Claims",
    ContainerResizePolicy: "ResourceName RestartPolicy",
    VolumeMount: "Name ReadOnly RecursiveReadOnly MountPath SubPath MountPropagation SubPathExpr",
    VolumeDevice: "Name DevicePath",
    Probe:
      "Exec HTTPGet TCPSocket GRPC InitialDelaySeconds TimeoutSeconds PeriodSeconds SuccessThreshold FailureThreshold TerminationGracePeriodSeconds",
    Lifecycle: "PostStart PreStop StopSignal",
    LifecycleHandler: "Exec HTTPGet TCPSocket Sleep",
    HTTPGetAction: "Path Port Host Scheme HTTPHeaders",
    TCPSocketAction: "Port Host",
    GRPCAction: "Port Service",
    Affinity: "NodeAffinity PodAffinity PodAntiAffinity",
    NodeAffinity:
      "RequiredDuringSchedulingIgnoredDuringExecution PreferredDuringSchedulingIgnoredDuringExecution",
    PodAffinity:
      "RequiredDuringSchedulingIgnoredDuringExecution PreferredDuringSchedulingIgnoredDuringExecution",
    PodAntiAffinity:
      "RequiredDuringSchedulingIgnoredDuringExecution PreferredDuringSchedulingIgnoredDuringExecution",
    PreferredSchedulingTerm: "Weight Preference",
    WeightedPodAffinityTerm: "Weight PodAffinityTerm",
    PodAffinityTerm:
      "LabelSelector Namespaces TopologyKey NamespaceSelector MatchLabelKeys MismatchLabelKeys",
    Toleration: "Key Operator Value Effect TolerationSeconds",
    TopologySpreadConstraint:
      "MaxSkew TopologyKey WhenUnsatisfiable LabelSelector MinDomains NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys",
    HostAlias: "IP Hostnames",
    PodDNSConfig: "Nameservers Searches Options",
    PodResourceClaim: "Name ResourceClaimName ResourceClaimTemplateName",
    PodOS: "Name",
    Volume:
      "Name HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI Glusterfs PersistentVolumeClaim RBD Quobyte FlexVolume Cinder CephFS Flocker DownwardAPI FC AzureFile ConfigMap VsphereVolume AzureDisk PhotonPersistentDisk Projected PortworxVolume ScaleIO StorageOS CSI Ephemeral Image",
    SecretVolumeSource: "SecretName Items DefaultMode Optional",
    ConfigMapVolumeSource: "Name Items DefaultMode Optional",
    KeyToPath: "Key Path Mode",
    DownwardAPIVolumeSource: "Items DefaultMode",
    DownwardAPIVolumeFile: "Path FieldRef ResourceFieldRef Mode",
    ProjectedVolumeSource: "Sources DefaultMode",
    VolumeProjection: "Secret DownwardAPI ConfigMap ServiceAccountToken ClusterTrustBundle PodCertificate",
    SecretProjection: "Name Items Optional",
    ConfigMapProjection: "Name Items Optional",
    NFSVolumeSource: "Server Path ReadOnly",
    CSIVolumeSource: "Driver ReadOnly FSType VolumeAttributes NodePublishSecretRef",
    ImageVolumeSource: "Reference PullPolicy",
    PersistentVolumeClaimSpec:
      "AccessModes Selector Resources VolumeName StorageClassName VolumeMode DataSource DataSourceRef VolumeAttributesClassName",
    VolumeResourceRequirements: "Limits Requests",
    TypedLocalObjectReference: "APIGroup Kind Name",
    TypedObjectReference: "APIGroup Kind Name Namespace",
    PersistentVolumeSource:
      "GCEPersistentDisk AWSElasticBlockStore HostPath Glusterfs NFS RBD Quobyte ISCSI FlexVolume Cinder CephFS FC Flocker AzureFile VsphereVolume AzureDisk PhotonPersistentDisk PortworxVolume ScaleIO Local StorageOS CSI",
    HostPathVolumeSource: "Path Type",
    LocalVolumeSource: "Path FSType",
    FCVolumeSource: "TargetWWNs Lun FSType ReadOnly WWIDs",
    CSIPersistentVolumeSource:
      "Driver VolumeHandle ReadOnly FSType VolumeAttributes ControllerPublishSecretRef NodeStageSecretRef NodePublishSecretRef ControllerExpandSecretRef NodeExpandSecretRef",
  }).map(([type, names]) => [type, names.split(" ")]),
);
