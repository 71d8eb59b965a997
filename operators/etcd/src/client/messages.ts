// etcd's v3 API: the numbers of the fields this operator reads and writes, by the names of rpc.proto.
import type { Message } from "./protobuf.js";

const uint64 = (number: number) => ({ number, type: "uint64" }) as const;
const int64 = (number: number) => ({ number, type: "int64" }) as const;
const bool = (number: number) => ({ number, type: "bool" }) as const;
const bytes = (number: number) => ({ number, type: "bytes" }) as const;
const string = (number: number) => ({ number, type: "string" }) as const;
const strings = (number: number) => ({ number, type: "string", repeated: true }) as const;
const message = <M extends Message>(number: number, type: M) => ({ number, type }) as const;
const messages = <M extends Message>(number: number, type: M) => ({ number, type, repeated: true }) as const;

const ResponseHeader = { cluster_id: uint64(1), member_id: uint64(2), revision: int64(3) } as const;
const header = message(1, ResponseHeader);
const KeyValue = { key: bytes(1), mod_revision: int64(3), value: bytes(5) } as const;
const Member = {
  ID: uint64(1),
  name: string(2),
  peerURLs: strings(3),
  clientURLs: strings(4),
  isLearner: bool(5),
} as const;
const AlarmMember = { memberID: uint64(1), alarm: uint64(2) } as const;
const Empty = {} as const;
const Id = { ID: uint64(1) } as const;
const Members = { header, members: messages(2, Member) } as const;

/** One method: its path, and the messages it takes and returns. */
export interface Method<Request extends Message, Response extends Message> {
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
}

const method = <Request extends Message, Response extends Message>(
  path: string,
  request: Request,
  response: Response,
): Method<Request, Response> => ({ path: `/etcdserverpb.${path}`, request, response });

export const methods = {
  range: method(
    "KV/Range",
    { key: bytes(1), range_end: bytes(2), limit: int64(3), serializable: bool(7) } as const,
    { header, kvs: messages(2, KeyValue), count: int64(4) } as const,
  ),
  put: method("KV/Put", { key: bytes(1), value: bytes(2) } as const, { header } as const),
  compact: method("KV/Compact", { revision: int64(1), physical: bool(2) } as const, { header } as const),
  memberList: method("Cluster/MemberList", { linearizable: bool(1) } as const, Members),
  memberAdd: method(
    "Cluster/MemberAdd",
    { peerURLs: strings(1), isLearner: bool(2) } as const,
    { header, member: message(2, Member), members: messages(3, Member) } as const,
  ),
  memberRemove: method("Cluster/MemberRemove", Id, Members),
  memberPromote: method("Cluster/MemberPromote", Id, Members),
  status: method("Maintenance/Status", Empty, {
    header,
    version: string(2),
    dbSize: int64(3),
    leader: uint64(4),
    raftIndex: uint64(5),
    raftTerm: uint64(6),
    raftAppliedIndex: uint64(7),
    errors: strings(8),
    dbSizeInUse: int64(9),
    isLearner: bool(10),
  } as const),
  alarm: method(
    "Maintenance/Alarm",
    { action: uint64(1), memberID: uint64(2), alarm: uint64(3) } as const,
    { header, alarms: messages(2, AlarmMember) } as const,
  ),
  defragment: method("Maintenance/Defragment", Empty, { header } as const),
  hashKV: method(
    "Maintenance/HashKV",
    { revision: int64(1) } as const,
    { header, hash: uint64(2), compact_revision: int64(3) } as const,
  ),
  moveLeader: method("Maintenance/MoveLeader", { targetID: uint64(1) } as const, { header } as const),
  snapshot: method("Maintenance/Snapshot", Empty, {
    header,
    remaining_bytes: uint64(2),
    blob: bytes(3),
  } as const),
} as const;
