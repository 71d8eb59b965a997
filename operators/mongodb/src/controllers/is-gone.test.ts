import { StatefulSet } from "@kubewright/api";
import { expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoWorld, name, namespace } from "./fixtures/mongo-world.js";

test("MongoDBCommunity: an operator that learns late of a deletion does not make children again and again", async () => {
  let writes = 0;
  await using w = await MongoWorld.start({
    middleware: [
      (next) => (request) => {
        if (request.method !== "GET" && !request.path.includes("/events")) writes += 1;
        return next(request);
      },
    ],
  });
  const { faults } = w.cluster;
  for (const [resource, delay] of [
    ["mongodbcommunity", 70],
    ["statefulsets", 1],
  ] as const)
    faults.delayWatches({ client: "mongodb-operator", resource }, delay);
  await w.create({ members: 1 });
  await w.settled(1);
  writes = 0;
  await w.cluster.client.delete(MongoDBCommunity, name, { namespace });
  await w.cluster.advance("1m");
  expect(writes).toBeLessThan(10);
  expect((await w.cluster.client.list(StatefulSet, { namespace })).items).toEqual([]);
});
