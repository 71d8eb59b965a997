// An operator whose work is done is silent: nothing is written, whatever time passes, and after restarts.
import { NetworkPolicy, Secret } from "@kubewright/api";
import { channel, defineController, interval } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

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
