import type { Duplex } from "node:stream";
import type { Transport, TransportRequest, TransportResponse } from "@kubewright/api";

/** A transport that may hold connections, and may be able to turn one into a stream in both directions. */
export interface ClosableTransport extends Transport {
  /** Closes every connection. Calls under way fail. */
  close?(): Promise<void>;
  /** Asks for another protocol on the connection; the answer carries the socket when the server agreed. */
  upgrade?(request: TransportRequest, protocol: string): Promise<UpgradeResponse>;
}

/** The answer to an upgrade; status 101 and a socket, or a refusal. */
export interface UpgradeResponse extends TransportResponse {
  readonly socket?: Duplex | undefined;
}
