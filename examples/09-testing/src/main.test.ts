// A whole cluster in the test process. Time is virtual: an hour passes as soon as nothing else happens.
import { Lease } from "@kubewright/api";
import { everyCrashPoint, testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { Lock, lockController } from "./main.js";

const options = { resources: [Lock], controllers: [lockController] };

test("Lock: is held for its time and released after it", async () => {
  await using cluster = await testCluster(options);
  await cluster.create(Lock, { name: "release", spec: { holder: "ada", minutes: 60 } });
  await cluster.eventually(Lease, "release", ({ spec }) => spec?.holderIdentity === "ada");
  await cluster.advance("59m");
  expect((await cluster.get(Lock, "release")).status?.phase).toBe("Held");
  await cluster.advance("1m");
  expect((await cluster.get(Lock, "release")).status?.phase).toBe("Expired");
  await cluster.eventuallyGone(Lease, "release");
});

test("Lock: is released in time although the API server refuses writes when it expires", async () => {
  await using cluster = await testCluster(options);
  await cluster.create(Lock, { name: "release", spec: { holder: "ada", minutes: 60 } });
  await cluster.advance("59m");
  cluster.faults.fail({ verb: "delete", resource: "leases" }, { code: 503 }, { times: 3 });
  cluster.faults.fail({ verb: "write", resource: "locks/status" }, "lost"); // done, but the answer never arrives
  await cluster.advance("2m");
  expect((await cluster.get(Lock, "release")).status?.phase).toBe("Expired");
  await cluster.eventuallyGone(Lease, "release");
});

test("Lock: may crash after any of its writes", async () => {
  await everyCrashPoint(options, async (cluster) => {
    await cluster.create(Lock, { name: "release", spec: { holder: "ada", minutes: 5 } });
    await cluster.eventually(Lock, "release", ({ status }) => status?.phase === "Expired");
    await cluster.eventuallyGone(Lease, "release");
  });
});
