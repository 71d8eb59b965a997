// A port of a node serves one pod at a time, per address and protocol.
import { type FilterPlugin, resolvable } from "../plugin.js";
import type { HostPort } from "../state/pod-info.js";

const misfit = resolvable("node(s) didn't have free ports for the requested pod ports");
const everyAddress = "0.0.0.0";

export const nodePorts: FilterPlugin = {
  name: "NodePorts",
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return {
      check: (node) =>
        node.ports.some((taken) => ports.some((wanted) => collide(wanted, taken))) ? misfit : undefined,
    };
  },
};

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress;
}
