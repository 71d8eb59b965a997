// A cluster with a node, on a data directory, in a process whose wall clock jumps: node clock-cluster.mjs DIRECTORY
import { startCluster } from "@kubewright/cluster";
import { followParent } from "./jumping-clock.js";

followParent();
const [, , dataDir = ""] = process.argv;
const cluster = await startCluster({ dataDir, nodes: 1 });
const { kubeconfig } = await cluster.listen();
process.stdout.write(`${JSON.stringify({ kubeconfig })}\n`);
