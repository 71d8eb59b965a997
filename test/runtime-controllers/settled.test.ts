// An operator whose work is done is silent: nothing is written, whatever time passes and whoever restarts it.
import {
  CustomResourceDefinition,
  Deployment,
  isConditionTrue,
  NetworkPolicy,
  Secret,
  Service,
  VirtualClock,
} from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { channel, defineController, interval, startManager } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { ModelBox } from "../../operators/modelbox/src/api/v1/model-box.js";
import modelbox from "../../operators/modelbox/src/main.js";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

test("the resource versions of a ModelBox and its children stand still", async () => {
  const clock = new VirtualClock();
  await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
  const { client } = cluster;
  await client.create(CustomResourceDefinition, ModelBox.crd());
  await clock.runUntil(async () => {
    const definition = await client.get(CustomResourceDefinition, "modelboxes.model.github.com");
    return isConditionTrue(definition.status?.conditions, "Established");
  });
  const start = () => clock.runUntilSettled(startManager(modelbox, { client, clock, freeze: true }));
  const manager = await start();
  await client.create(ModelBox, {
    metadata: { name: "web", namespace },
    spec: {
      image: "nginx:1.27",
      replicas: 2,
      ports: [{ port: 80, targetPort: 8080 }],
      resources: { limits: { cpu: "1000m", memory: "0.5Gi" } },
    },
  });
  await clock.advance(10_000);
  const versions = async () =>
    Promise.all(
      [ModelBox, Deployment, Service].map(async (kind) => {
        const object: { metadata?: { resourceVersion?: string | undefined } | undefined } = (await client.get<
          unknown,
          unknown
        >(kind, "web", { namespace })) as never;
        return object.metadata?.resourceVersion;
      }),
    );
  const before = await versions();
  await clock.advance(24 * 3_600_000);
  expect(await versions()).toEqual(before);
  await clock.runUntilSettled(manager.close());
  const again = await start();
  await clock.advance(3_600_000);
  expect(await versions()).toEqual(before);
  await clock.runUntilSettled(again.close());
  expect(clock.inFlight).toEqual([]);
});

test("what the server stores in another form is sent once, and again only when something changed", async () => {
  await using harness = await Harness.start();
  const pokes = channel("pokes");
  await harness.manage([
    defineController(Box, {
      owns: [Secret, NetworkPolicy],
      sources: [pokes, interval(10_000)],
      async reconcile(box, ctx) {
        const metadata = { name: box.metadata.name! };
        // Turned into data by the server.
        await ctx.apply(Secret, { metadata, stringData: { password: "s3cret" } });
        // An item of a list that is replaced as a whole, in which the server fills in the protocol.
        await ctx.apply(NetworkPolicy, {
          metadata,
          spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ ports: [{ port: 80 }] }] },
        });
      },
    }),
  ]);
  const { client, clock } = harness;
  await client.create(Box, boxNamed("a"));
  await clock.advance(1_000);
  const settled = harness.writes.length;
  await clock.advance(600_000);
  expect(harness.writes.length).toBe(settled);
  await client.patch(Secret, "a", { merge: { data: { password: "b3RoZXI=" } } }, { namespace });
  await clock.advance(60_000);
  expect(harness.writes.length).toBeLessThanOrEqual(settled + 2);
  const { data } = await client.get(Secret, "a", { namespace });
  expect(Buffer.from(data?.["password"] ?? "", "base64").toString()).toBe("s3cret");
  await client.patch(NetworkPolicy, "a", { merge: { spec: { ingress: [] } } }, { namespace });
  await clock.advance(60_000);
  expect((await client.get(NetworkPolicy, "a", { namespace })).spec?.ingress).toMatchObject([
    { ports: [{ port: 80 }] },
  ]);
  const after = harness.writes.length;
  await client.patch(NetworkPolicy, "a", { merge: { metadata: { labels: { x: "y" } } } }, { namespace });
  await clock.advance(60_000);
  expect(harness.writes.length).toBe(after);
});
