import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { type Command, UsageError } from "../command.js";
import { untilInterrupted } from "../interrupt.js";

/** `kubewright cluster`: the embedded cluster in the foreground. */
export const clusterCommand: Command = {
  name: "cluster",
  summary: "Run the embedded cluster until Ctrl-C",
  example: "kubewright cluster --kubeconfig ./kubeconfig & kubectl --kubeconfig ./kubeconfig get namespaces",
  options: {
    port: { type: "string", value: "P", description: "TLS port on 127.0.0.1 (a free one)" },
    kubeconfig: { type: "string", value: "FILE", description: "where to write the kubeconfig (.kubewright/kubeconfig)" },
  },
  async run({ values }) {
    const file = resolve(String(values["kubeconfig"] ?? ".kubewright/kubeconfig"));
    const cluster = await startCluster();
    const endpoint = await cluster.listen({ port: portOf(values["port"]) });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, endpoint.kubeconfig, { mode: 0o600 });
    process.stdout.write(`cluster ready at ${endpoint.url}\nexport KUBECONFIG=${file}\n`);
    await untilInterrupted();
    await cluster.close();
    rmSync(file, { force: true });
    return 0;
  },
};

function portOf(value: string | boolean | undefined): number {
  if (value === undefined) return 0;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port ${value}: a number from 0 to 65535 is needed`);
}
