// Pruning, defaulting and validating a 1.5 KB custom resource, against ajv validating alone on the same schema (aim: within
// 1.5 times). Every object is new; both sides take turns in one run.
import { createResourceSchema } from "@kubewright/schema/engine";
import { Ajv } from "ajv";

const string = { type: "string" };
const integer = { type: "integer", format: "int32" };
const intOrString = { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };
const quantity =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";
const quantities = { type: "object", additionalProperties: { ...intOrString, pattern: quantity } };
const object = (properties, required) => ({ type: "object", properties, ...(required ? { required } : {}) });
const listMap = (items, ...keys) => ({
  type: "array",
  items,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});

const port = object(
  {
    name: { type: "string", maxLength: 15, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
    port: { type: "integer", minimum: 1, maximum: 65535 },
    protocol: { type: "string", enum: ["TCP", "UDP", "SCTP"], default: "TCP" },
    targetPort: intOrString,
  },
  ["port"],
);
const envVar = object(
  {
    name: { type: "string", minLength: 1 },
    value: string,
    valueFrom: object({
      fieldRef: object({ apiVersion: string, fieldPath: string }, ["fieldPath"]),
      secretKeyRef: object({ name: string, key: string, optional: { type: "boolean" } }, ["key"]),
    }),
  },
  ["name"],
);
const probe = object({
  path: string,
  port: intOrString,
  initialDelaySeconds: { type: "integer", minimum: 0 },
  periodSeconds: { type: "integer", minimum: 1, default: 10 },
  timeoutSeconds: { type: "integer", minimum: 1, default: 1 },
  failureThreshold: { type: "integer", minimum: 1, default: 3 },
});
const toleration = object({
  key: string,
  operator: string,
  value: string,
  effect: { type: "string", enum: ["NoSchedule", "PreferNoSchedule", "NoExecute"] },
  tolerationSeconds: { type: "integer", format: "int64" },
});
const condition = object(
  {
    type: {
      type: "string",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", maxLength: 32768 },
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", minimum: 0 },
  },
  ["type", "status", "reason", "message", "lastTransitionTime"],
);
const schema = object({
  apiVersion: string,
  kind: string,
  metadata: { type: "object" },
  spec: object(
    {
      image: { type: "string", minLength: 1, maxLength: 255 },
      replicas: { type: "integer", format: "int32", minimum: 0, maximum: 100, default: 1 },
      rollingUpdate: { type: "string", pattern: "^[1-9]\\d?%$", default: "25%" },
      tier: { type: "string", enum: ["small", "medium", "large", "custom"], default: "small" },
      ports: { ...listMap(port, "port", "protocol"), minItems: 1, maxItems: 16 },
      envs: { type: "array", maxItems: 64, items: envVar },
      resources: object({ limits: quantities, requests: quantities }),
      nodeSelector: { type: "object", additionalProperties: string },
      paused: { type: "boolean", default: false },
      probe,
      tolerations: { type: "array", items: toleration },
    },
    ["image", "ports"],
  ),
  status: object({
    readyReplicas: integer,
    replicas: integer,
    observedGeneration: { type: "integer", format: "int64" },
    selector: string,
    conditions: listMap(condition, "type"),
  }),
});

function resource(i) {
  const transition = { lastTransitionTime: "2026-11-15T03:44:36Z", status: "True" };
  return {
    apiVersion: "model.github.com/v1",
    kind: "ModelBox",
    metadata: {
      name: `web-${i}`,
      namespace: "shop",
      uid: "2947288a-2b52-4567-91d0-ed2d7a0f483e",
      creationTimestamp: "2026-11-15T03:44:36Z",
      labels: { "app.kubernetes.io/name": "web" },
      generation: 3,
      resourceVersion: "329",
    },
    spec: {
      image: `registry.example.com/models/resnet:${i}`,
      replicas: 3,
      tier: "medium",
      ports: [
        { name: "http", port: 80, protocol: "TCP", targetPort: 8080 },
        { name: `grpc-${i}`, port: 9000 + (i % 100), targetPort: "grpc" },
      ],
      envs: [
        { name: "MODEL_PATH", value: `/models/resnet-${i}` },
        { name: "LOG_LEVEL", value: "info" },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "TOKEN", valueFrom: { secretKeyRef: { name: "model-token", key: "token" } } },
      ],
      resources: {
        limits: { cpu: "2", memory: `${512 + i}Mi` },
        requests: { cpu: `${100 + i}m`, memory: "256Mi" },
      },
      nodeSelector: { "kubernetes.io/os": "linux", disk: "ssd" },
      probe: { path: "/healthz", port: "http", initialDelaySeconds: 5, periodSeconds: 10 },
      tolerations: [{ key: "gpu", operator: "Exists", effect: "NoSchedule" }],
    },
    status: {
      readyReplicas: 3,
      replicas: 3,
      observedGeneration: 3,
      selector: "app=web",
      conditions: [
        {
          type: "Available",
          reason: "MinimumReplicasAvailable",
          message: `${i} has minimum availability.`,
          ...transition,
        },
        {
          type: "Progressing",
          reason: "NewReplicaSetAvailable",
          message: `${i} has progressed.`,
          ...transition,
        },
      ],
    },
  };
}

let made = 0;
/** 64 objects; names and amounts are new every time, as in a cluster where objects come and go. */
const makeObjects = () =>
  Array.from({ length: 64 }, () => JSON.parse(JSON.stringify(resource(made++ % 50_000))));
const formats = {
  int32: { type: "number", validate: (value) => value >= -2147483648 && value <= 2147483647 },
  int64: true,
  "date-time": /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i,
};
const ajv = new Ajv({ strict: false, formats }).compile(schema);
const ours = createResourceSchema(schema);

const sides = {
  "ajv: validate": (value) => ajv(value),
  "ours: prune, default, validate": (value) => ours.admit(value).errors.length === 0,
};

/** Nanoseconds per object over one round. */
function round(work) {
  const values = makeObjects();
  const start = process.hrtime.bigint();
  for (const value of values) if (!work(value)) throw new Error("the resource should be valid");
  return Number(process.hrtime.bigint() - start) / values.length;
}

const rounds = Number(process.env.ROUNDS ?? 1500);
const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
for (let i = 0; i < rounds; i++)
  for (const [name, work] of Object.entries(sides)) times[name].push(round(work));

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [theirs, mine] = Object.entries(times).map(([name, values]) => {
  const nanoseconds = median(values.slice(values.length / 5));
  console.log(`${name.padEnd(32)} ${(nanoseconds / 1000).toFixed(2)} µs`);
  return nanoseconds;
});
console.log(`${"object size".padEnd(32)} ${JSON.stringify(resource(7)).length} bytes`);
console.log(`${"ratio (aim: at most 1.5)".padEnd(32)} ${(mine / theirs).toFixed(2)}`);
