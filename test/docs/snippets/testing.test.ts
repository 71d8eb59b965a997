// The code of docs/guides/testing.md and of the README of the package, as a suite would have it.
import { Deployment, Service } from "@kubewright/api";
import { everyCrashPoint, type TestClusterOptions, testCluster } from "@kubewright/testing";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { afterAll, afterEach, expect, test } from "vitest";
import { ModelBox } from "../../../operators/modelbox/src/api/v1/model-box.js";
import { ModelBoxPolicy } from "../../../operators/modelbox/src/api/v1/model-box-policy.js";
import { modelBoxController } from "../../../operators/modelbox/src/controllers/model-box.js";

const spec = { image: "nginx", ports: [{ port: 80 }] };
const options: TestClusterOptions = {
  resources: [ModelBox, ModelBoxPolicy],
  controllers: [modelBoxController],
};

test("a deleted Service comes back", async () => {
  await using cluster = await testCluster({
    resources: [ModelBox, ModelBoxPolicy],
    controllers: [modelBoxController],
  });
  await cluster.create(ModelBox, { name: "web", spec: { image: "nginx", ports: [{ port: 80 }] } });
  await cluster.condition(Deployment, "web", "Available");
  await cluster.delete(Service, "web");
  await cluster.eventually(Service, "web");
  expect(cluster.errors).toEqual([]);
});

const cluster = await testCluster(options);
afterAll(() => cluster.close());

test("a ModelBox has a Deployment", async () => {
  await using scope = await cluster.forTest(); // a namespace of its own
  await scope.create(ModelBox, { name: "web", spec });
  await scope.eventually(Deployment, "web");
}); // the namespace goes away with all that is in it

afterEach(() => cluster.faults.clear());

test("docs/guides/testing.md: time passes when a test advances it", async () => {
  const before = cluster.clock.now();

  await cluster.advance("24h"); // everything that falls due within a day
  await cluster.settle(); // everything that can happen without time passing

  expect(cluster.clock.now() - before).toBe(24 * 60 * 60 * 1000);
});

test("docs/guides/testing.md: requests fail as asked, and the operator goes on", async () => {
  cluster.faults.fail({ verb: "update", resource: "deployments/status" }, "conflict", { nth: 2 });
  cluster.faults.fail({ client: "shop-operator", verb: "write" }, "lost", { times: 3 });

  await using scope = await cluster.forTest();
  await scope.create(ModelBox, { name: "web", spec });
  await scope.condition(Deployment, "web", "Available");
});

test("docs/guides/testing.md: a ModelBox survives a crash after every write", async () => {
  await everyCrashPoint(
    { resources: [ModelBox, ModelBoxPolicy], controllers: [modelBoxController] },
    async (cluster) => {
      await cluster.create(ModelBox, { name: "web", spec });
      await cluster.condition(Deployment, "web", "Available");
      expect(await cluster.list(Deployment)).toHaveLength(1);
    },
  );
});

test.skipIf(isRealCluster())(
  "docs/guides/testing.md: without a real cluster the suite has its own",
  async () => {
    const cluster = await testClusterFromEnvironment(options);

    await cluster.create(ModelBox, { name: "web", spec });
    await cluster.eventually(Deployment, "web");
    await cluster.close();
  },
);
