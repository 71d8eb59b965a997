// A port of a node serves one pod at a time, per address and protocol.
import { type FilterPlugin, resolvable } from "../plugin.js";
import type { HostPort } from "../state/pod-info.js";

export const portsTaken = "node(s) didn't have free ports for the requested pod ports";
const misfit = resolvable(portsTaken);
const everyAddress = "0.0.0.0";

export const nodePorts: FilterPlugin = {
  name: "NodePorts",
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return { check: (node) => (areFree(ports, node.ports) ? undefined : misfit) };
  },
};

/** Whether none of the ports is among those taken. */
export function areFree(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  return !taken.some((one) => wanted.some((other) => collide(other, one)));
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress;
}
