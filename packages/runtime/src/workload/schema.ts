// Parts of the schema of a kind whose work a Deployment does. They are as strict as Kubernetes is about the objects made from
// them, so that a mistake is refused when it is made. Objects stored before that keep working: a server checks only what changes.
import type {
  Container,
  EnvVar,
  JSONSchemaProps,
  LabelSelector,
  ResourceRequirements,
  ServicePort,
} from "@kubewright/api";
import { embeddedSchema } from "@kubewright/api/type-info";
import { conditions, exactlyOneOf, kube, rule, z } from "@kubewright/schema";
import type { PodTemplate } from "./pod-template.js";

/** The fields `keepWorkload` writes, for the status of the kind. */
export const workloadStatus = () => ({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
  ready: z.string().optional().describe("Pods that are ready, of those desired, such as 2/3"),
  replicas: z.int32().optional().describe("Pods of the Deployment, ready or not"),
  updatedReplicas: z.int32().optional().describe("Pods that run the latest spec"),
  readyReplicas: z.int32().optional().describe("Pods whose Ready condition is True"),
  availableReplicas: z.int32().optional().describe("Pods that have been ready for minReadySeconds"),
  unavailableReplicas: z.int32().optional().describe("Pods that are missing, or not available yet"),
  selector: z.string().optional().describe("Selects the pods; for the scale subresource"),
  address: z.string().optional().describe("Host name and port of the Service inside the cluster"),
  nodePorts: z.array(z.int32()).optional().describe("Ports on which every node forwards to the Service"),
  conditions: conditions().describe(
    "Available, Progressing and Degraded, as a Deployment has them; FieldConflict where another field manager keeps changing a child",
  ),
});

/** The columns `kubectl get` shows of a Deployment, read from that status. */
export const workloadColumns = {
  Ready: ".status.ready",
  "Up-to-date": ".status.updatedReplicas",
  Available: ".status.availableReplicas",
} as const;

/**
 * For `rules` of a kind whose name becomes that of a Service and a label of its pods. Names cannot change, so it is checked when
 * an object is created, and never stands in the way of one that is there.
 */
export const namedLikeService = () =>
  rule(
    "oldSelf.hasValue() || self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    {
      optionalOldSelf: true,
      message:
        "the name is also that of a Service: lower-case letters, digits and dashes, a letter first, at most 63",
    },
  );

/** The schema of a container image: one word of at most 1,024 characters. */
export const containerImage = () =>
  z
    .string()
    .min(1)
    .max(1024)
    .regex(/^\S+$/, "must not contain white space")
    .describe("Container image to run");

const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";
const dnsLabel = { minLength: 1, maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };
/** As Kubernetes has them: printable ASCII but for `=`. */
const envName = { minLength: 1, pattern: "^[ -<>-~]+$" };
/** IANA service names: letters, digits and single dashes, at least one letter. */
const portName = { maxLength: 15, pattern: "^([a-z0-9]+-)*[a-z0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*$" };

/** The schema of the environment variables of a container, by name. */
export const environment = () => kube.listMap(refined<EnvVar>("EnvVar", { name: envName }), ["name"]);

/** The ports of a Service and of the container behind it. */
export const servicePortList = () =>
  kube
    .listMap(
      refined<ServicePort>("ServicePort", {
        name: dnsLabel,
        port: { minimum: 1, maximum: 65_535 },
        nodePort: { minimum: 0, maximum: 65_535 },
        targetPort: { minimum: 0, maximum: 65_535, ...portName },
      }),
      ["port", "protocol"],
    )
    .max(64)
    .check(
      rule(
        "self.all(p, !has(p.name) || self.exists_one(q, has(q.name) && q.name == p.name))",
        "names of ports must be different",
      ),
    );

/** The schema of further containers of a pod, by name, at most 16. */
export const containerList = () =>
  kube
    .listMap(
      refined<Container>("Container", { name: dnsLabel, image: { minLength: 1, pattern: "^\\S+$" } }, [
        "image",
      ]),
      ["name"],
    )
    .max(16);

/** Bounds, without which the rule below would be estimated too costly. */
const boundedAmounts = (): JSONSchemaProps => ({
  maxProperties: 16,
  additionalProperties: {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
    maxLength: 32,
    pattern: quantityPattern,
  },
});

/** The resources of a container, none of which may be requested beyond its limit. */
export const resourceRequirements = () =>
  refined<ResourceRequirements>("ResourceRequirements", {
    limits: boundedAmounts(),
    requests: boundedAmounts(),
  }).check(
    rule(
      "!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)",
      { message: "requests must not exceed limits", fieldPath: ".requests" },
    ),
  );

/** All that can be said of the pods beside the fields of the kind; see `mergePodTemplate`. */
export const podTemplate = () =>
  kube
    .schema<PodTemplate>(podTemplateSchema)
    .optional()
    .describe("Merged over the pods by the rules of strategic merge; containers are found by name");

/** The number of pods that voluntary disruptions may take down at a time; see `budgetFor`. */
export const disruptionBudget = () =>
  z
    .object({
      minAvailable: kube
        .intOrString()
        .optional()
        .describe("Pods, or a share such as 50%, that must stay available"),
      maxUnavailable: kube
        .intOrString()
        .optional()
        .describe("Pods, or a share such as 25%, that may be unavailable"),
    })
    .check(exactlyOneOf("minAvailable", "maxUnavailable"))
    .optional()
    .describe("How many pods must stay, or may go, while nodes are drained: a PodDisruptionBudget");

const labelValue = { maxLength: 63, pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$" };

/** A label selector that can be read: the schema of the type alone lets operators through that need values and have none. */
export const labelSelector = () =>
  kube.schema<LabelSelector>(labelSelectorSchema).check(
    rule(
      "!has(self.matchExpressions) || self.matchExpressions.all(e, (has(e.values) && e.values.size() > 0) == (e.operator in ['In', 'NotIn']))",
      {
        message: "In and NotIn need values, Exists and DoesNotExist take none",
        fieldPath: ".matchExpressions",
      },
    ),
  );

function labelSelectorSchema(): JSONSchemaProps {
  const operator = { enum: ["In", "NotIn", "Exists", "DoesNotExist"] };
  const expression: JSONSchemaProps = {
    type: "object",
    required: ["key", "operator"],
    properties: {
      key: { type: "string", minLength: 1, maxLength: 317 },
      operator: { type: "string", ...operator },
      values: {
        type: "array",
        maxItems: 64,
        items: { type: "string", ...labelValue },
        "x-kubernetes-list-type": "atomic",
      },
    },
  };
  return {
    type: "object",
    properties: {
      matchExpressions: {
        type: "array",
        maxItems: 64,
        items: expression,
        "x-kubernetes-list-type": "atomic",
      },
      matchLabels: { type: "object", additionalProperties: { type: "string", ...labelValue } },
    },
    "x-kubernetes-map-type": "atomic",
  };
}

/** A built-in type with further keywords for some of its fields, and further fields that are required. */
function refined<T>(
  type: string,
  fields: Readonly<Record<string, JSONSchemaProps>>,
  required: readonly string[] = [],
) {
  return kube.schema<T>(() => refinedSchema(type, fields, required));
}

function refinedSchema(
  type: string,
  fields: Readonly<Record<string, JSONSchemaProps>>,
  required: readonly string[],
): JSONSchemaProps {
  const schema = embeddedSchema(`io.k8s.api.core.v1.${type}`);
  const properties = { ...schema.properties };
  for (const [name, keywords] of Object.entries(fields))
    properties[name] = { ...properties[name], ...keywords };
  const all = [...(schema.required ?? []), ...required];
  return { ...schema, properties, ...(all.length > 0 ? { required: all } : {}) };
}

/** The schema of pods with nothing required but the keys of list items. */
function podTemplateSchema(): JSONSchemaProps {
  const { required: _containers, ...spec } = embeddedSchema("io.k8s.api.core.v1.PodSpec");
  const texts: JSONSchemaProps = { type: "object", additionalProperties: { type: "string" } };
  const metadata: JSONSchemaProps = { type: "object", properties: { labels: texts, annotations: texts } };
  return { type: "object", properties: { metadata, spec } };
}
