// Reads the client certificate of a TLS connection.
import type { TLSSocket } from "node:tls";
import type { Peer } from "../auth/authenticate.js";

/** Reads the client certificate of a connection, once for all its requests. */
export function peerReader(): (socket: TLSSocket) => Peer {
  const known = new WeakMap<TLSSocket, Peer>();
  return (socket) => {
    const before = known.get(socket);
    if (before) return before;
    const peer = { ...readPeer(socket), address: socket.remoteAddress };
    known.set(socket, peer);
    return peer;
  };
}

function readPeer(socket: TLSSocket): Peer {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject) return {};
  if (!socket.authorized) return { certificate: "untrusted" };
  const commonName: string | string[] | undefined = subject.CN;
  const organizations: string | string[] = subject.O ?? [];
  // Without a name it says nothing about who this is.
  if (!commonName) return {};
  return {
    certificate: {
      commonName: [commonName].flat().at(-1) ?? "",
      organizations: [organizations].flat(),
      fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}
