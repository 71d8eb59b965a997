// Certificates in virtual time: issued, renewed, given, and of another CA.
import { X509Certificate } from "node:crypto";
import { Pod, Secret } from "@kubewright/api";
import {
  createCertificateAuthority,
  createCertificateRequest,
  parseCertificateRequest,
} from "@kubewright/api/x509";
import { expect, test } from "vitest";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import {
  create,
  eventsOf,
  kinds,
  name,
  namespace,
  patch,
  settled,
  type World,
  world,
} from "../controllers/fixtures/cluster-world.js";

function contents({ data = {} }: Secret) {
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  return { ca: text("ca.crt"), certificate: new X509Certificate(text("tls.crt")) };
}

const read = async ({ cluster }: World, secret: string) => contents(await cluster.get(Secret, secret));

const isOf = (certificate: X509Certificate, ca: string): boolean =>
  certificate.verify(new X509Certificate(ca).publicKey);

test("certificates are issued for members and clients, and renewed after two thirds of their life", {
  timeout: 60_000,
}, async () => {
  await using w = await world();
  await create(w, { replicas: 1, tls: { client: {}, peer: {}, certificateLifetimeSeconds: 3_600 } });
  const { status } = await settled(w, 1);
  expect(status?.clientEndpoint).toMatch(/^https:/);
  const { ca, certificate } = await read(w, "db-0-tls");
  expect(certificate.checkHost("db-0.db-peers.default.svc")).toBeDefined();
  expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
  expect((await read(w, "db-client-tls")).ca).toBe(ca);
  const pod = await w.cluster.get(Pod, "db-0");
  expect(pod.spec?.containers[0]?.args).toContain("--peer-client-cert-auth=true");
  w.steps.length = 0;
  await w.cluster.advance("45m");
  expect((await read(w, "db-0-tls")).certificate.serialNumber).not.toBe(certificate.serialNumber);
  expect((await read(w, "db-0-tls")).ca).toBe(ca);
  // A renewed certificate needs no restart.
  expect(w.steps).toEqual([]);
  expect(await eventsOf(w)).toEqual(expect.arrayContaining(["CertificateIssued", "CertificateRenewed"]));
  // While the cluster is paused too: members whose certificates expire would lose each other.
  await patch(w, { paused: true });
  const renewed = await read(w, "db-0-tls");
  await w.cluster.advance("45m");
  expect((await w.cluster.get(EtcdCluster, name)).status?.phase).toBe("Paused");
  expect((await read(w, "db-0-tls")).certificate.serialNumber).not.toBe(renewed.certificate.serialNumber);
  expect(w.steps).toEqual([]);
});

test("another CA comes into use in three rounds, in each of which members are started again one after the other", {
  timeout: 60_000,
}, async () => {
  await using w = await world();
  await create(w, { tls: { client: {}, peer: {} } });
  await settled(w, 3);
  const old = await read(w, "db-0-tls");
  const shown = ({ ca, certificate }: typeof old): string =>
    `${ca.split("-----BEGIN").length - 1} trusted, ${isOf(certificate, old.ca) ? "old" : "new"} certificate`;
  const seen = new Set([shown(old)]);
  w.steps.length = 0;
  await w.cluster.delete(Secret, "db-ca");
  const isOver = (secret: Secret): boolean => seen.add(shown(contents(secret))).size === 4;
  await w.cluster.eventually(Secret, "db-0-tls", isOver, { timeout: "30m" });
  await w.cluster.advance("11s");
  await settled(w, 3);
  expect([...seen]).toEqual([
    "1 trusted, old certificate",
    "2 trusted, old certificate",
    "2 trusted, new certificate",
    "1 trusted, new certificate",
  ]);
  expect(kinds(w.steps).filter((step) => step.startsWith("restart"))).toHaveLength(9);
  const { ca } = await read(w, "db-client-tls");
  expect(isOf((await read(w, "db-2-tls")).certificate, ca)).toBe(true);
  expect((await eventsOf(w)).filter((reason) => reason === "CertificateAuthorityRotated")).toHaveLength(3);
});

/** A Secret as cert-manager makes it. */
async function give(w: World, hosts: readonly string[], usages = ["server auth", "client auth"]) {
  const now = w.cluster.now();
  const validity = { notBefore: now - 3_600_000, notAfter: now + 24 * 3_600_000 };
  const ca = createCertificateAuthority({ commonName: "issuer", ...validity });
  const { request, key } = createCertificateRequest({ commonName: "etcd", hosts: [...hosts] });
  const certificate = ca.sign(parseCertificateRequest(request), { ...validity, usages });
  await w.cluster.client.apply(Secret, {
    metadata: { name: "given", namespace },
    type: "kubernetes.io/tls",
    stringData: { "ca.crt": ca.certificate, "tls.crt": certificate, "tls.key": key },
  });
  return ca.certificate;
}

const hosts = ["*.db-peers.default.svc", "*.db-peers.default.svc.cluster.local"];

test("certificates of a given Secret are used, and those of another CA take their place in three rounds", {
  timeout: 60_000,
}, async () => {
  await using w = await world();
  const first = await give(w, hosts);
  await create(w, { tls: { client: { secretName: "given" }, peer: { secretName: "given" } } });
  await settled(w, 3);
  expect((await read(w, "db-client-in-use")).ca).toBe(first);
  const volumes = (await w.cluster.get(Pod, "db-1")).spec?.volumes?.map(({ secret }) => secret?.secretName);
  expect(volumes).toEqual(expect.arrayContaining(["db-client-in-use", "db-peer-in-use"]));
  w.steps.length = 0;
  const second = await give(w, hosts);
  await w.cluster.eventually(Secret, "db-peer-in-use", (secret) => contents(secret).ca === second, {
    timeout: "30m",
  });
  await w.cluster.advance("11s");
  await settled(w, 3);
  expect(kinds(w.steps).filter((step) => step.startsWith("restart"))).toHaveLength(9);
  expect(isOf((await read(w, "db-peer-in-use")).certificate, second)).toBe(true);
});

test("a Secret that is missing or not good for members is named with the reason, and nothing begins before", {
  timeout: 60_000,
}, async () => {
  await using w = await world();
  await create(w, { tls: { peer: { secretName: "given" } } });
  const says = (text: string) =>
    w.cluster.eventually(EtcdCluster, name, ({ status }) => status?.step?.includes(text) === true, {
      timeout: "1m",
    });
  await says("there is no Secret given with certificates");
  await give(w, ["etcd.example.com"]);
  await says("the certificate in Secret given is not good for *.db-peers.default.svc");
  await give(w, hosts, ["server auth"]);
  await says("must be good both for servers and for clients");
  expect(w.steps).toEqual([]);
  expect(await eventsOf(w)).toContain("CertificatesUnusable");
  await give(w, hosts);
  await settled(w, 3);
});

test("TLS that is turned on or off later is refused with the way to take", async () => {
  await using w = await world();
  await create(w, { replicas: 1 });
  await settled(w, 1);
  await expect(patch(w, { tls: { client: {} } })).rejects.toThrow(
    "TLS cannot be turned on or off later: restore a backup into a new cluster (spec.tls.client)",
  );
});
