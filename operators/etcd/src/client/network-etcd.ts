// The calls on a member over the network.
import { request } from "node:http";
import type { Duplex } from "node:stream";
import {
  type AlarmType,
  type ClientTls,
  type EtcdAlarm,
  type EtcdClient,
  EtcdError,
  type EtcdMember,
  type KeyHash,
  type MemberList,
  type MemberStatus,
} from "./etcd-client.js";
import { GrpcChannel } from "./grpc-channel.js";
import { methods } from "./messages.js";
import type { Decoded } from "./protobuf.js";

/** How a member is reached. */
export interface MemberAddress {
  /** Names the member in errors. */
  readonly what: string;
  /** Opens a connection to a port of the member. */
  readonly open: (port: number) => Promise<Duplex>;
  readonly clientPort: number;
  readonly metricsPort: number;
  readonly tls?: (ClientTls & { readonly serverName: string }) | undefined;
}

/** In milliseconds. */
export interface Deadlines {
  /** Calls that only look, and changes of the membership. */
  readonly call: number;
  /** Defragmentation, which stops the member for as long as it takes. */
  readonly defragment: number;
  readonly snapshot: number;
}

export const defaultDeadlines: Deadlines = { call: 5_000, defragment: 120_000, snapshot: 30 * 60_000 };

const actions = { get: 0n, deactivate: 2n } as const;
const alarmNumbers: Readonly<Record<AlarmType, bigint>> = { NOSPACE: 1n, CORRUPT: 2n };

export class NetworkEtcd implements EtcdClient {
  readonly #address: MemberAddress;
  readonly #channel: GrpcChannel;
  readonly #deadlines: Deadlines;

  constructor(address: MemberAddress, deadlines: Deadlines = defaultDeadlines) {
    this.#address = address;
    this.#deadlines = deadlines;
    this.#channel = new GrpcChannel({
      what: address.what,
      open: () => address.open(address.clientPort),
      tls: address.tls,
    });
  }

  close(): void {
    this.#channel.close();
  }

  async memberList(): Promise<MemberList> {
    // Servers before 3.5 answer from their own state whatever is asked, so that the read before it makes the answer a quorum's.
    await this.revision();
    const { header, members } = await this.#channel.call(
      methods.memberList,
      { linearizable: true },
      this.#deadlines.call,
    );
    return { clusterId: hex(header?.cluster_id ?? 0n), members: members.map(memberOf) };
  }

  async memberAdd(peerURL: string, { isLearner }: { isLearner: boolean }): Promise<EtcdMember> {
    const asked = { peerURLs: [peerURL], isLearner };
    const { member } = await this.#channel.call(methods.memberAdd, asked, this.#deadlines.call);
    if (!member) throw new EtcdError("refused", `${this.#address.what}: the answer has no member`);
    return memberOf(member);
  }

  async memberPromote(id: string): Promise<void> {
    await this.#channel.call(methods.memberPromote, { ID: number(id) }, this.#deadlines.call);
  }

  async memberRemove(id: string): Promise<void> {
    await this.#channel.call(methods.memberRemove, { ID: number(id) }, this.#deadlines.call);
  }

  async moveLeader(id: string): Promise<void> {
    await this.#channel.call(methods.moveLeader, { targetID: number(id) }, this.#deadlines.call);
  }

  async status(): Promise<MemberStatus> {
    const answer = await this.#channel.call(methods.status, {}, this.#deadlines.call);
    return {
      clusterId: hex(answer.header?.cluster_id ?? 0n),
      memberId: hex(answer.header?.member_id ?? 0n),
      version: answer.version,
      leader: answer.leader === 0n ? undefined : hex(answer.leader),
      isLearner: answer.isLearner,
      dbSize: Number(answer.dbSize),
      dbSizeInUse: Number(answer.dbSizeInUse),
      raftIndex: Number(answer.raftIndex),
      raftAppliedIndex: Number(answer.raftAppliedIndex),
      raftTerm: Number(answer.raftTerm),
      errors: answer.errors,
    };
  }

  async revision(): Promise<number> {
    const { header } = await this.#channel.call(
      methods.range,
      { key: Buffer.from("health"), limit: 1n },
      this.#deadlines.call,
    );
    return Number(header?.revision ?? 0n);
  }

  async alarms(): Promise<readonly EtcdAlarm[]> {
    const { alarms } = await this.#channel.call(methods.alarm, { action: actions.get }, this.#deadlines.call);
    return alarms.flatMap(({ memberID, alarm }) => {
      const type = (Object.keys(alarmNumbers) as AlarmType[]).find((name) => alarmNumbers[name] === alarm);
      return type ? [{ memberId: hex(memberID), type }] : [];
    });
  }

  async disarm({ memberId, type }: EtcdAlarm): Promise<void> {
    await this.#channel.call(
      methods.alarm,
      { action: actions.deactivate, memberID: number(memberId), alarm: alarmNumbers[type] },
      this.#deadlines.call,
    );
  }

  async compact(revision: number): Promise<void> {
    const asked = { revision: BigInt(revision), physical: true };
    await this.#channel.call(methods.compact, asked, this.#deadlines.defragment);
  }

  async defragment(): Promise<void> {
    await this.#channel.call(methods.defragment, {}, this.#deadlines.defragment);
  }

  async hashKV(revision = 0): Promise<KeyHash> {
    const answer = await this.#channel.call(
      methods.hashKV,
      { revision: BigInt(revision) },
      this.#deadlines.defragment,
    );
    return {
      hash: answer.hash.toString(16),
      revision: Number(answer.header?.revision ?? 0n),
      compactRevision: Number(answer.compact_revision),
    };
  }

  async *snapshot(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const { blob } of this.#channel.stream(methods.snapshot, {}, this.#deadlines.snapshot))
      yield blob;
  }

  async metrics(): Promise<string> {
    const { what, open, metricsPort } = this.#address;
    const socket = await open(metricsPort);
    try {
      return await textOf(socket, "/metrics", this.#deadlines.call);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new EtcdError("unavailable", `${what}: metrics: ${message}`, { cause });
    } finally {
      socket.destroy();
    }
  }

  async put(key: string, value: string): Promise<number> {
    const asked = { key: Buffer.from(key), value: Buffer.from(value) };
    const { header } = await this.#channel.call(methods.put, asked, this.#deadlines.call);
    return Number(header?.revision ?? 0n);
  }

  async get(key: string): Promise<string | undefined> {
    const { kvs } = await this.#channel.call(methods.range, { key: Buffer.from(key) }, this.#deadlines.call);
    const [found] = kvs;
    return found && Buffer.from(found.value).toString("utf8");
  }
}

const hex = (id: bigint): string => id.toString(16);
const number = (id: string): bigint => BigInt(`0x${id}`);

const memberOf = (member: Decoded<(typeof methods.memberList.response.members)["type"]>): EtcdMember => ({
  id: hex(member.ID),
  name: member.name,
  peerURLs: member.peerURLs,
  isLearner: member.isLearner,
});

function textOf(socket: Duplex, path: string, milliseconds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { path, host: "member", createConnection: () => socket, signal: AbortSignal.timeout(milliseconds) },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => resolve(Buffer.concat(parts).toString("utf8")));
      },
    );
    asked.once("error", reject);
    asked.end();
  });
}
