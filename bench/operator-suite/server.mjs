// The process that serves: an embedded API server over TLS, with nothing else.
import { startCluster } from "@kubewright/cluster";

const cluster = await startCluster({ nodes: 0, controllers: "none" });
const { kubeconfig } = await cluster.listen();
const field = (name) => new RegExp(`${name}: "?([^"\\s]+)`).exec(kubeconfig)[1];
const ca = Buffer.from(field("certificate-authority-data"), "base64").toString();
process.send({ url: field("server"), ca, token: field("token"), kubeconfig });
process.on("message", (what) => process.send(what === "memory" ? heap() : cpu()));

/** Milliseconds of CPU since the start. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Bytes of heap that are still in use after a collection. */
function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
