// The files by which a program learns what it may use: those of its control group, in version 2.
import { Amount, type Container } from "@kubewright/api";

const period = 100_000;

/** `cpu.max`, `cpu.weight` and `memory.max` of a container, as a kubelet has them written. */
export function cgroupFiles({ resources }: Container): readonly (readonly [string, Uint8Array])[] {
  const { limits, requests } = resources ?? {};
  const limit = milliCores(limits?.["cpu"]);
  const request = milliCores(requests?.["cpu"] ?? limits?.["cpu"]);
  const memory = limits?.["memory"];
  const lines = {
    "cpu.max": `${limit === 0 ? "max" : Math.max(1000, (limit * period) / 1000)} ${period}`,
    "cpu.weight": String(weightOf(Math.max(2, Math.floor((request * 1024) / 1000)))),
    "memory.max": memory === undefined ? "max" : String(Math.ceil(Amount.parse(memory).toNumber())),
  };
  return Object.entries(lines).map(([name, line]) => [name, Buffer.from(`${line}\n`)] as const);
}

const milliCores = (quantity: string | number | undefined): number =>
  quantity === undefined ? 0 : Math.ceil(Amount.parse(quantity).toNumber() * 1000);

/** Container runtimes turn shares, from 2 to 262,144, into weights, from 1 to 10,000. */
const weightOf = (shares: number): number => 1 + Math.floor(((shares - 2) * 9999) / 262_142);
