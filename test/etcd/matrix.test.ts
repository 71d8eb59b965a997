// The fault matrix on real etcd: `npm run test:etcd`. It takes most of an hour; `short.test.ts` is the part of it for every run.
import { afterAll, beforeAll, describe, test } from "vitest";
import { type FaultCase, memberFaults, quorumFaults, scaling } from "./cases.js";
import { oldest } from "./etcd-binaries.js";
import { EtcdWorld, missing } from "./etcd-world.js";
import { faultsOfFive, graceOfFive } from "./five-cases.js";
import { autoscaled, backupToBucket, backupToClaim, recovery } from "./life-cases.js";
import { record, recordLife } from "./matrix-record.js";
import { corrupt, lostNode, noSpace, smallQuota } from "./node-and-alarm-cases.js";
import {
  killsInReplacement,
  killsInRolling,
  killsInScaling,
  killsInUpgrade,
  killsOfProcess,
} from "./operator-kills.js";
import { givenSecrets, otherAuthority, tlsRotation } from "./tls-cases.js";
import { Writer } from "./writer.js";

const reason = process.env["KUBEWRIGHT_ETCD_MATRIX"] ? missing : "runs with npm run test:etcd";
const only = process.env["KUBEWRIGHT_ETCD_CASES"];
const isAsked = (group: string): boolean => only === undefined || only.split(",").includes(group);

describe.skipIf(reason !== undefined)(reason ?? "the fault matrix on real etcd", { timeout: 600_000 }, () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  }, 120_000);
  afterAll(() => world?.close(), 120_000);

  /** Cases that share a cluster: each begins and ends with one that is whole. */
  const shared = (group: string, size: number, cases: readonly FaultCase[], spec: object = {}) =>
    describe.runIf(isAsked(group))(group, () => {
      let writer: Writer;
      beforeAll(async () => {
        await world.create(group, { replicas: size, ...spec });
        await world.settled(group, size);
        writer = await new Writer(world, group).start();
      }, 240_000);
      afterAll(async () => {
        await writer?.stop();
        await world.remove(group);
      }, 120_000);
      test.each(cases)("$name", (each) =>
        record(world, { group, ...each }, writer, () => each.run({ world, cluster: group, size })),
      );
    });

  shared("faults", 3, [...memberFaults, ...quorumFaults, corrupt, lostNode]);
  shared("five", 5, faultsOfFive, graceOfFive);
  shared("space", 3, [noSpace], { etcdOptions: smallQuota });
  shared("scaling", 1, scaling);

  const long = { timeout: 2_400_000 };
  describe.runIf(isAsked("kills"))("the operator killed after each step", () => {
    test("of scaling out and in again", long, () => killsInScaling(world));
    test("of a change that rolls", long, () => killsInRolling(world));
    test("of a replacement", long, () => killsInReplacement(world));
    test.skipIf(oldest === undefined)("of an upgrade", long, () => killsInUpgrade(world));
  });

  describe.runIf(isAsked("process"))("the operator as a process", () => {
    test("killed with SIGKILL during every kind of change", long, () => killsOfProcess(world));
  });

  describe.runIf(isAsked("tls"))("clusters with TLS", () => {
    test.each([
      ["TLS from the start, certificates renewed under load", tlsRotation],
      ["another CA of the operator's own, under load", otherAuthority],
      ["certificates of Secrets that are given, renewed and of another CA, under load", givenSecrets],
    ] as const)("%s", (name, run) => recordLife({ group: "tls", name }, () => run(world)));
  });

  describe.runIf(isAsked("life"))("clusters with a life of their own", () => {
    test.each([
      ["backup to a claim, disaster, restore into a new cluster", backupToClaim],
      ["backup to a bucket, disaster, restore into a new cluster", backupToBucket],
      ["recovery from the confirmed survivor of a lost quorum", recovery],
      ["members added by reads, and taken away when they end", autoscaled],
    ] as const)("%s", (name, run) => recordLife({ group: "life", name }, () => run(world)));
  });
});
