// The process that serves: an embedded API server over TLS, with nothing else.
import { startCluster } from "@kubewright/cluster";

const cluster = await startCluster({ nodes: 0, controllers: "none" });
const { kubeconfig } = await cluster.listen();
const field = (name) => new RegExp(`${name}: "?([^"\\s]+)`).exec(kubeconfig)[1];
const ca = Buffer.from(field("certificate-authority-data"), "base64").toString();
process.send({ url: field("server"), ca, token: field("token"), kubeconfig });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send((user + system) / 1000);
});
