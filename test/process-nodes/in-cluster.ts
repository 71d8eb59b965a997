// A program in a pod that finds the API server as every in-cluster client does: by its variables, its token and its CA.
import { expect, test } from "vitest";
import type { ProcessCluster } from "./process-cluster.js";

/** Tests on a cluster that runs when they do. */
export function inClusterTests(cluster: () => ProcessCluster): void {
  test("the API server is reached from a pod, with its token", async () => {
    const nodes = cluster();
    const script = `
      const { readFileSync } = require("node:fs"), { request } = require("node:https");
      const folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
      const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
      const headers = { authorization: "Bearer " + readFileSync(folder + "token") };
      request({ host, port, path: "/api/v1/namespaces/default/configmaps", headers, ca: readFileSync(folder + "ca.crt") },
        (r) => { let all = ""; r.on("data", (c) => { all += c; }); r.on("end", () => console.log(r.statusCode, JSON.parse(all).message)); }).end();`;
    await nodes.run("asks", {
      restartPolicy: "Never",
      containers: [{ name: "c", image: "node:20", command: ["node", "-e", script] }],
    });
    await nodes.finished("asks");
    const [line] = await nodes.log("asks");
    expect(line).toContain('403 configmaps is forbidden: User "system:serviceaccount:default:default"');
  });
}
