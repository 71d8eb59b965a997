// The status of a gRPC call in the words of the contract. etcd says most things in the message, so that is read, too.
import { EtcdError, type EtcdErrorCode } from "./etcd-client.js";

const grpc = { deadlineExceeded: 4, notFound: 5, alreadyExists: 6, unavailable: 14 } as const;

const byMessage: readonly (readonly [RegExp, EtcdErrorCode])[] = [
  [/in sync with leader/, "not-ready"],
  [/member not found/, "not-found"],
  [/peer urls already exists|member id already exist/i, "exists"],
  [/unhealthy cluster/, "not-connected"],
  [/no leader|not enough started members|leader changed|request timed out|raft: stopped/, "no-quorum"],
];

export function errorOf(code: number, message: string): EtcdError {
  const known = byMessage.find(([pattern]) => pattern.test(message));
  return new EtcdError(known?.[1] ?? codeOf(code), message);
}

function codeOf(code: number): EtcdErrorCode {
  if (code === grpc.deadlineExceeded) return "deadline";
  if (code === grpc.notFound) return "not-found";
  if (code === grpc.alreadyExists) return "exists";
  return code === grpc.unavailable ? "unavailable" : "refused";
}
