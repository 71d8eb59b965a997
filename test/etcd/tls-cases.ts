// Clusters with TLS: certificates renewed, given, and of another CA, all under load.
import { X509Certificate } from "node:crypto";
import { Pod, Secret } from "@kubewright/api";
import {
  createCertificateAuthority,
  createCertificateRequest,
  parseCertificateRequest,
} from "@kubewright/api/x509";
import { eventually, namespace } from "../process-nodes/process-cluster.js";
import { sleep } from "./cases.js";
import type { EtcdWorld } from "./etcd-world.js";
import type { Measured } from "./matrix-record.js";
import { Writer } from "./writer.js";

/** A cluster of three with a writer that takes up new certificates as they come. */
async function underLoad(
  world: EtcdWorld,
  cluster: string,
  tls: object,
  secret: string,
  change: string,
  work: () => Promise<void>,
): Promise<Measured> {
  await world.create(cluster, { replicas: 3, tls });
  const { status } = await world.settled(cluster, 3);
  if (!status?.clientEndpoint?.startsWith("https://")) throw new Error("the endpoint is not secure");
  await refusesPlain(world, `${cluster}-0`);
  await world.trust(cluster, secret);
  const reader = setInterval(() => void world.trust(cluster, secret).catch(() => undefined), 2_000);
  const writer = await new Writer(world, cluster).start();
  try {
    await work();
    await world.settled(cluster, 3);
    await writer.flowing();
    await world.trust(cluster, secret);
    await writer.check();
    if (writer.failures > 0) throw new Error(`${writer.failures} writes were given up after 2 s`);
    return { change, gap: writer.takeGap(), failures: writer.takeFailures() };
  } finally {
    clearInterval(reader);
    await writer.stop();
    await world.remove(cluster);
  }
}

/** Both ways, with certificates that live for 40 s. */
export function tlsRotation(world: EtcdWorld): Promise<Measured> {
  const cluster = "secure";
  const tls = { client: {}, peer: {}, certificateLifetimeSeconds: 40 };
  return underLoad(world, cluster, tls, `${cluster}-client-tls`, "certificates renewed", async () => {
    const before = await certificateOf(world, `${cluster}-1-tls`);
    await eventually(
      async () => (await certificateOf(world, `${cluster}-1-tls`)) !== before,
      () => "no certificate was renewed",
      120_000,
    );
    // Longer than the first certificates live: a client that still had one would fail.
    await sleep(20_000);
    await world.settled(cluster, 3);
    await world.client.delete(Pod, `${cluster}-2`, { namespace });
    await sleep(1_000);
  });
}

/** The Secret with the CA is deleted, which is how people ask for another one. */
export function otherAuthority(world: EtcdWorld): Promise<Measured> {
  const cluster = "authority";
  const tls = { client: {}, peer: {}, certificateLifetimeSeconds: 600 };
  const secret = `${cluster}-client-tls`;
  return underLoad(world, cluster, tls, secret, "another CA of the operator's", async () => {
    const before = await caOf(world, secret);
    await world.client.delete(Secret, `${cluster}-ca`, { namespace });
    await untilOnly(world, secret, (ca) => !ca.includes(before));
    await takenUp(world, cluster);
  });
}

/** Secrets as cert-manager makes them: the certificate renewed first, then of another CA. */
export async function givenSecrets(world: EtcdWorld): Promise<Measured> {
  const cluster = "given";
  const authority = createCertificateAuthority({ commonName: "one", ...validity() });
  await give(world, cluster, authority);
  const sides = { client: { secretName: "given-tls" }, peer: { secretName: "given-tls" } };
  const secret = `${cluster}-client-in-use`;
  return underLoad(world, cluster, sides, secret, "another CA of given Secrets", async () => {
    const before = await certificateOf(world, secret);
    const pods = await uidsOf(world, cluster);
    await give(world, cluster, authority);
    await eventually(
      async () => (await certificateOf(world, secret)) !== before,
      () => "the renewed certificate was not taken up",
      60_000,
    );
    if ((await uidsOf(world, cluster)) !== pods) throw new Error("a renewed certificate restarted a member");
    const other = createCertificateAuthority({ commonName: "two", ...validity() });
    await give(world, cluster, other);
    await untilOnly(world, secret, (ca) => ca.trim() === other.certificate.trim());
    await takenUp(world, cluster);
  });
}

/** Clients have a twentieth of it to take up a change. */
const validity = () => ({ notBefore: Date.now() - 100_000, notAfter: Date.now() + 500_000 });

async function give(
  world: EtcdWorld,
  cluster: string,
  authority: ReturnType<typeof createCertificateAuthority>,
): Promise<void> {
  const host = `*.${cluster}-peers.${namespace}.svc`;
  const { request, key } = createCertificateRequest({
    commonName: "etcd",
    hosts: [host, `${host}.cluster.local`],
  });
  const certificate = authority.sign(parseCertificateRequest(request), {
    ...validity(),
    usages: ["digital signature", "key encipherment", "server auth", "client auth"],
  });
  await world.client.apply(Secret, {
    metadata: { name: "given-tls", namespace },
    type: "kubernetes.io/tls",
    stringData: { "ca.crt": authority.certificate, "tls.crt": certificate, "tls.key": key },
  });
}

const textOf = async (world: EtcdWorld, secret: string, key: string): Promise<string> => {
  const { data = {} } = await world.client.get(Secret, secret, { namespace });
  return Buffer.from(data[key] ?? "", "base64").toString("utf8");
};
const caOf = (world: EtcdWorld, secret: string): Promise<string> => textOf(world, secret, "ca.crt");

async function certificateOf(world: EtcdWorld, secret: string): Promise<string> {
  return new X509Certificate(await textOf(world, secret, "tls.crt")).serialNumber;
}

async function untilOnly(world: EtcdWorld, secret: string, test: (ca: string) => boolean): Promise<void> {
  await eventually(
    async () => test(await caOf(world, secret)),
    () => "the old CA is still trusted",
    400_000,
  );
}

/** The last round of restarts begins with the next reconcile. */
async function takenUp(world: EtcdWorld, cluster: string): Promise<void> {
  await world.until(cluster, ({ status }) => status?.phase !== "Running");
}

const uidsOf = async (world: EtcdWorld, cluster: string): Promise<string> =>
  (await world.pods(cluster))
    .map(({ metadata }) => metadata?.uid)
    .toSorted()
    .join();

async function refusesPlain(world: EtcdWorld, pod: string): Promise<void> {
  const plain = world.member(pod, "nobody", 1_000);
  const answer = await plain.status().catch(() => undefined);
  plain.close();
  if (answer) throw new Error(`${pod} answers without TLS`);
}
