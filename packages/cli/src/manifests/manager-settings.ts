// What a project decides about the Deployment of its manager: `kubewright.manager` in package.json. Every output obeys it: kustomize bases,
// dist/install.yaml, `deploy`, the chart (as the defaults of its values) and the OLM bundle.
import type {
  Affinity,
  EnvVar,
  LocalObjectReference,
  ResourceRequirements,
  Toleration,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from "@kubewright/api";
import { UsageError } from "../command.js";
import { nearest } from "../nearest.js";

type Texts = Readonly<Record<string, string>>;

/** Fields have the form they have in a pod. */
export interface ManagerSettings {
  readonly resources: ResourceRequirements;
  /** Besides POD_NAME and POD_NAMESPACE. */
  readonly env: readonly EnvVar[];
  /** Besides the flags that follow from the code. */
  readonly args: readonly string[];
  readonly imagePullPolicy: string;
  readonly imagePullSecrets: readonly LocalObjectReference[];
  readonly nodeSelector: Texts;
  readonly tolerations: readonly Toleration[];
  readonly affinity: Affinity;
  readonly topologySpreadConstraints: readonly TopologySpreadConstraint[];
  readonly priorityClassName: string;
  /** Of the Deployment itself. */
  readonly annotations: Texts;
  readonly labels: Texts;
  readonly podAnnotations: Texts;
  readonly podLabels: Texts;
  readonly volumes: readonly Volume[];
  readonly volumeMounts: readonly VolumeMount[];
  /** For clouds that give service accounts their identities. */
  readonly serviceAccountAnnotations: Texts;
  /** `maxUnavailable` or `minAvailable`; no budget when empty. */
  readonly podDisruptionBudget: Readonly<Record<string, number | string>>;
}

export const defaultManagerSettings: ManagerSettings = {
  resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "96Mi" } },
  env: [],
  args: [],
  imagePullPolicy: "",
  imagePullSecrets: [],
  nodeSelector: {},
  tolerations: [],
  affinity: {},
  topologySpreadConstraints: [],
  priorityClassName: "",
  annotations: {},
  labels: {},
  podAnnotations: {},
  podLabels: {},
  volumes: [],
  volumeMounts: [],
  serviceAccountAnnotations: {},
  podDisruptionBudget: {},
};

/** Throws a UsageError for fields that do not exist or have another form. */
export function managerSettings(stated: unknown): ManagerSettings {
  if (stated === undefined) return defaultManagerSettings;
  if (formOf(stated) !== "an object") throw wrong("kubewright.manager", "an object");
  for (const [name, value] of Object.entries(stated as object)) {
    const standard: unknown = Reflect.get(defaultManagerSettings, name);
    if (standard === undefined) throw unknown(name);
    if (formOf(value) !== formOf(standard)) throw wrong(`kubewright.manager.${name}`, formOf(standard));
  }
  return { ...defaultManagerSettings, ...(stated as Partial<ManagerSettings>) };
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null
    ? "an object"
    : typeof value === "string"
      ? "a text"
      : "";
}

function unknown(name: string): UsageError {
  const known = Object.keys(defaultManagerSettings);
  const guess = nearest(name, known);
  return new UsageError(
    `package.json: kubewright.manager.${name} does not exist; ${guess ? `did you mean ${guess}?` : `there are ${known.join(", ")}`}`,
  );
}

const wrong = (field: string, form: string): UsageError =>
  new UsageError(`package.json: ${field} must be ${form}`);
