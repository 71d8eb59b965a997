// What the files of the fault matrix share: `npm run test:etcd` runs all of them, several at once, each with a cluster of its own.
import { afterAll, beforeAll, describe, test } from "vitest";
import type { FaultCase } from "./cases.js";
import { EtcdWorld, missing } from "./etcd-world.js";
import { type Measured, record, recordLife } from "./matrix-record.js";
import { Writer } from "./writer.js";

const reason = process.env["KUBEWRIGHT_ETCD_MATRIX"] ? missing : "runs with npm run test:etcd";
const only = process.env["KUBEWRIGHT_ETCD_CASES"];

/** For tests that are an enumeration of cases. */
export const long = { timeout: 2_400_000 };

export class Matrix {
  #world: EtcdWorld | undefined;

  get world(): EtcdWorld {
    if (!this.#world) throw new Error("the cluster has not started");
    return this.#world;
  }

  /** A part of the matrix, on process nodes of its own. */
  static part(name: string, define: (matrix: Matrix) => void): void {
    describe.skipIf(reason !== undefined)(reason ?? name, { timeout: 600_000 }, () => {
      const matrix = new Matrix();
      beforeAll(async () => {
        matrix.#world = await EtcdWorld.start();
      }, 240_000);
      afterAll(() => matrix.#world?.close(), 120_000);
      define(matrix);
    });
  }

  /** Tests that KUBEWRIGHT_ETCD_CASES can choose. */
  group(name: string, define: () => void): void {
    describe.runIf(only === undefined || only.split(",").includes(name))(name, define);
  }

  /** Cases that share a cluster: each begins and ends with one that is whole. */
  shared(group: string, size: number, cases: readonly FaultCase[], spec: object = {}): void {
    this.group(group, () => {
      let writer: Writer | undefined;
      beforeAll(async () => {
        await this.world.create(group, { replicas: size, ...spec });
        await this.world.settled(group, size);
        writer = await new Writer(this.world, group).start();
      }, 240_000);
      afterAll(async () => {
        await writer?.stop();
        await this.world.remove(group);
      }, 120_000);
      for (const each of cases)
        test(each.name, async () => {
          if (!writer) throw new Error("nobody writes");
          const { world } = this;
          await record(world, { group, ...each }, writer, () => each.run({ world, cluster: group, size }));
        });
    });
  }

  /** Cases that make clusters of their own. */
  lives(
    group: string,
    cases: Readonly<Record<string, (world: EtcdWorld) => Promise<Measured | void>>>,
  ): void {
    this.group(group, () => {
      for (const [name, run] of Object.entries(cases))
        test(name, () => recordLife({ group, name }, () => run(this.world)));
    });
  }
}
