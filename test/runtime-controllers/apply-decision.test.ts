// Whether an apply is needed, decided here and by the server: what is skipped must be what the server would have left alone.
import {
  apiVersionOf,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  type KubeObject,
  type ResourceDescriptor,
  Service,
} from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { defineResource, kube, z } from "@kubewright/schema";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sameMeaningOf } from "../../packages/runtime/src/controller/apply/canonical-form.js";
import {
  compareFields,
  type Difference,
} from "../../packages/runtime/src/controller/apply/field-comparison.js";

const namespace = "default";
const manager = "operator";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({
    size: z.int().default(1),
    note: z.string().optional(),
    tags: z.array(z.string()).optional(),
    parts: kube.listMap(z.object({ name: z.string(), count: z.int().optional() }), ["name"]).optional(),
    limits: z.record(z.string(), kube.quantity()).optional(),
  }),
});

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, controllers: "none" });
  await cluster.client.create(CustomResourceDefinition, Widget.crd());
});
afterAll(() => cluster.close());

type AnyKind = ResourceDescriptor<KubeObject, never>;
type Body = Readonly<Record<string, unknown>>;

/** What the skip decision says of applying `declared` on top of `live`. */
function differences(kind: AnyKind, declared: Body, live: KubeObject): readonly Difference[] {
  const entries = live.metadata?.managedFields?.filter(
    (entry) => entry.manager === manager && entry.operation === "Apply" && !entry.subresource,
  );
  const own = entries?.[0]?.fieldsV1;
  if (!own) return [{ path: "", place: [], kind: "ownership", declared, live }];
  const whole = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...declared };
  return compareFields(own, whole, { ...live }, sameMeaningOf(kind));
}

let names = 0;
const apply = (kind: AnyKind, body: Body): Promise<KubeObject> =>
  cluster.client.apply(kind as ResourceDescriptor<KubeObject>, body as never, {
    fieldManager: manager,
    force: true,
  });

function named(body: Body, name: string): Body {
  return { ...body, metadata: { ...(body["metadata"] as object | undefined), name, namespace } };
}

const label = fc.constantFrom("app", "tier", "a.b/c");
const value = fc.constantFrom("one", "two", "");
const labels = fc.dictionary(label, value, { maxKeys: 3 });
const owner = (uid: string) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid });
const owners = fc.subarray([owner("one"), { ...owner("two"), controller: true }]);
const metadata = fc.record({ labels, annotations: labels, ownerReferences: owners }, { requiredKeys: [] });
const amount = fc.constantFrom("1", "1000m", "0.5", "500m", "128Mi", "0.125Gi", 2);

const container = fc.record(
  {
    name: fc.constantFrom("web", "side"),
    image: fc.constantFrom("nginx:1", "nginx:2"),
    args: fc.array(value, { maxLength: 2 }),
    env: fc.uniqueArray(fc.record({ name: fc.constantFrom("A", "B", "C"), value }), {
      selector: ({ name }) => name,
      maxLength: 3,
    }),
    ports: fc.uniqueArray(
      fc.record(
        { containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom("TCP", "UDP") },
        { requiredKeys: ["containerPort"] },
      ),
      { selector: ({ containerPort }) => containerPort, maxLength: 2 },
    ),
    resources: fc.record(
      { limits: fc.dictionary(fc.constantFrom("cpu", "memory"), amount, { maxKeys: 2 }) },
      { requiredKeys: [] },
    ),
    tty: fc.boolean(),
    workingDir: fc.constantFrom("", "/srv"),
  },
  { requiredKeys: ["name", "image"] },
);

const deployment = fc.record({
  metadata,
  spec: fc.record(
    {
      replicas: fc.constantFrom(0, 1, 3),
      minReadySeconds: fc.constantFrom(0, 3),
      paused: fc.boolean(),
      selector: fc.constant({ matchLabels: { app: "web" } }),
      template: fc.record({
        metadata: fc.constant({ labels: { app: "web" } }),
        spec: fc.record(
          {
            containers: fc.uniqueArray(container, {
              selector: ({ name }) => name,
              minLength: 1,
              maxLength: 2,
            }),
            tolerations: fc.array(fc.constant({ key: "a", operator: "Exists" }), { maxLength: 1 }),
            nodeSelector: labels,
          },
          { requiredKeys: ["containers"] },
        ),
      }),
    },
    { requiredKeys: ["selector", "template"] },
  ),
});

const service = fc.record({
  metadata,
  spec: fc.record({
    selector: labels,
    ports: fc
      .uniqueArray(
        fc.record(
          {
            port: fc.constantFrom(80, 81, 82),
            name: fc.constantFrom("a", "b", "c"),
            protocol: fc.constant("TCP"),
            targetPort: fc.constantFrom<string | number>(8080, "http"),
          },
          { requiredKeys: ["port", "name"] },
        ),
        { selector: ({ port }) => port, comparator: "SameValue", minLength: 1, maxLength: 3 },
      )
      .filter((ports) => new Set(ports.map(({ name }) => name)).size === ports.length),
  }),
});

const configMap = fc.record(
  {
    metadata,
    data: fc.dictionary(
      label.map((key) => key.replace("/", "-")),
      value,
      { maxKeys: 3 },
    ),
  },
  { requiredKeys: ["metadata"] },
);

const widget = fc.record({
  metadata,
  spec: fc.record(
    {
      size: fc.constantFrom(0, 1, 2),
      note: value,
      tags: fc.array(value, { maxLength: 2 }),
      parts: fc.uniqueArray(
        fc.record({ name: fc.constantFrom("a", "b"), count: fc.nat(1) }, { requiredKeys: ["name"] }),
        {
          selector: ({ name }) => name,
          maxLength: 2,
        },
      ),
      limits: fc.dictionary(fc.constantFrom("cpu", "gpu"), amount, { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  ),
});

/** What somebody else may do to the object meanwhile. */
const meddling = fc.constantFrom<Body | undefined>(
  undefined,
  { metadata: { labels: { app: "theirs" } } },
  { metadata: { labels: { app: null, extra: "theirs" } } },
  { metadata: { annotations: null } },
  { data: { app: "theirs" } },
  { spec: { replicas: 7, size: 7, paused: null, note: null } },
  { spec: { tags: ["theirs"], parts: [{ name: "z" }], selector: { app: "web" } } },
);

const kinds: readonly (readonly [string, AnyKind, fc.Arbitrary<Body>])[] = [
  ["Deployment", Deployment as AnyKind, deployment],
  ["Service", Service as AnyKind, service],
  ["ConfigMap", ConfigMap as AnyKind, configMap],
  ["a custom kind", Widget as unknown as AnyKind, widget],
];

describe.each(kinds)("%s", (_, kind, arbitrary) => {
  test("applied and applied again has no difference that another apply would mend", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (body) => {
        const declared = named(body, `same-${names++}`);
        const live = await apply(kind, declared);
        // Lists of keyed items that are empty, and objects that declare nothing, own nothing: such cannot be told from what
        // was never applied.
        const rest = differences(kind, declared, live).filter(
          ({ declared: list, path }) => path !== "" && !isEmptyList(list),
        );
        expect(rest).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("is skipped only where the server would change nothing", async () => {
    let skipped = 0;
    await fc.assert(
      fc.asyncProperty(
        arbitrary,
        arbitrary,
        fc.boolean(),
        meddling,
        async (first, second, isSame, change) => {
          const name = `other-${names++}`;
          await apply(kind, named(first, name));
          const patched = change
            ? await cluster.client
                .patch(kind, name, { merge: change }, { namespace, fieldManager: "somebody" })
                .catch(() => undefined)
            : undefined;
          const live = patched ?? (await cluster.client.get(kind, name, { namespace }));
          const declared = named(isSame ? first : second, name);
          if (differences(kind, declared, live).length > 0) return;
          skipped += 1;
          const applied = await apply(kind, declared);
          expect(applied.metadata?.resourceVersion).toBe(live.metadata?.resourceVersion);
        },
      ),
      { numRuns: 150 },
    );
    expect(skipped).toBeGreaterThan(5);
  });
});

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
