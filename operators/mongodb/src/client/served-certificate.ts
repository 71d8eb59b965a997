// The certificate that a member shows, from a handshake that goes no further. It is looked at and not trusted: nothing is sent.
import { connect } from "node:tls";

/** Its fingerprint; undefined when there is no handshake in time. */
export function servedCertificate(
  address: string,
  serverName: string,
  timeout: number,
): Promise<string | undefined> {
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(address.slice(at + 1)),
      servername: serverName,
      // An expired certificate is to be seen, too.
      rejectUnauthorized: false,
    });
    const end = (fingerprint: string | undefined): void => {
      socket.destroy();
      resolve(fingerprint);
    };
    socket.setTimeout(timeout, () => end(undefined));
    socket.once("secureConnect", () => end(socket.getPeerX509Certificate()?.fingerprint256));
    socket.once("error", () => end(undefined));
    socket.once("close", () => end(undefined));
  });
}
