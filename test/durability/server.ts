// An API server in a process of its own, to be killed. Its snapshots come often, so that kills fall into them too.
import { systemClock } from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { admin, createApiServer, JournalError, listen, openDurableStorage } from "@kubewright/apiserver";

const [, , directory = "", snapshotAfter = "100000"] = process.argv;
/** Shorter than the defaults, so that tests with containers are quick. */
const lockTimes = { touchEvery: 100, waitFor: 1_500 };
const { storage, torn } = openDurableStorage({
  directory,
  snapshotAfter: Number(snapshotAfter),
  lockTimes,
  onError: (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    if (error instanceof JournalError) process.exit(2);
  },
});
const server = createApiServer({ storage, tokens: new Map([["token", admin]]) });
const now = systemClock.now();
const hour = 3_600_000;
const authority = createCertificateAuthority({
  commonName: "ca",
  notBefore: now - hour,
  notAfter: now + hour,
});
const serving = authority.issue({
  commonName: "server",
  hosts: ["127.0.0.1"],
  usage: "server",
  notBefore: now - hour,
  notAfter: now + hour,
});
const { url } = await listen((request, peer) => server.handle(request, peer), {
  allows: (request, peer) => server.allows(request, peer),
  host: "127.0.0.1",
  port: 0,
  serving,
  clientAuthority: authority.certificate,
});
process.stdout.write(`${JSON.stringify({ url, authority: authority.certificate, torn })}\n`);
