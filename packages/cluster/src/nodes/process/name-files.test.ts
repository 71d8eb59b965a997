import { expect, test } from "vitest";
import { clusterHosts } from "./name-files.js";

test("hosts file: has the names of the cluster, as short as the namespace of the pod allows", () => {
  const names = {
    addresses: {
      "web.shop.svc.cluster.local": ["127.64.0.2"],
      "db-0.db.data.svc.cluster.local": ["127.64.0.3"],
    },
    services: {},
    aliases: { "alias.shop.svc.cluster.local": "web.shop.svc.cluster.local" },
  };
  expect(clusterHosts(names, "shop").split("\n")).toEqual([
    "127.64.0.2\tweb.shop.svc.cluster.local\tweb\tweb.shop\tweb.shop.svc",
    "127.64.0.3\tdb-0.db.data.svc.cluster.local\tdb-0.db.data\tdb-0.db.data.svc",
    "127.64.0.2\talias.shop.svc.cluster.local\talias\talias.shop\talias.shop.svc",
    "",
  ]);
});
